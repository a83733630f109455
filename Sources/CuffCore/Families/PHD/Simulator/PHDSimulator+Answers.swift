extension PHDSimulator {
    mutating func answerGet(_ handle: UInt16, _ invoke: UInt16, into actions: inout [SimulatorAction]) {
        switch handle {
        case 0: actions.append(.write(cuff.description(invoke: invoke, clock: clock)))
        case PHDSimulatedCuff.storeHandle where cuff.hasStore:
            actions.append(.write(cuff.storeDescription(invoke: invoke, segments: segments)))
        default: actions.append(.write(PHDManagerAPDU.error(invoke: invoke, PHDError.noSuchObjectInstance)))
        }
    }

    mutating func answerAction(_ apdu: [UInt8], _ invoke: UInt16, into actions: inout [SimulatorAction]) {
        let bytes = apdu.span
        let handle = bytes.bigEndian16(12) ?? 0
        let action = bytes.bigEndian16(14) ?? 0
        guard handle == 0 || cuff.hasStore && handle == PHDSimulatedCuff.storeHandle else {
            return actions.append(.write(PHDManagerAPDU.error(invoke: invoke, PHDError.noSuchObjectInstance)))
        }
        switch action {
        case cuff.setsTimeWith:
            guard let time = cuff.time(setBy: bytes) else {
                return actions.append(.write(PHDManagerAPDU.error(invoke: invoke, PHDError.noSuchAction)))
            }
            clock = time
            actions += [.write(cuff.actionResult(invoke: invoke, handle, action)), .note("clock set")]
        case PHDAction.setTime, PHDAction.setBaseOffsetTime:
            actions += [
                .write(PHDManagerAPDU.error(invoke: invoke, PHDError.noSuchAction)), .note("a clock of another kind was to be set"),
            ]
        case PHDAction.segmentInfo:
            actions.append(.write(cuff.segmentInfo(invoke: invoke, segments: segments)))
        case PHDAction.triggerTransfer:
            let instance = bytes.bigEndian16(18) ?? 0
            let index = Int(instance) - 1
            let result: UInt16 = !segments.indices.contains(index) ? 1 : segments[index].isEmpty ? 3 : 0
            actions.append(.write(cuff.triggerResult(invoke: invoke, instance: instance, result)))
            guard result == 0 else { return }
            transfer = (index, 0)
            sendEntries(into: &actions)
        case PHDAction.clearSegments:
            for index in segments.indices where cuff.clears(UInt16(index + 1), bytes) { segments[index] = [] }
            actions += [.write(cuff.actionResult(invoke: invoke, handle, action)), .note("store cleared")]
        default: actions.append(.write(PHDManagerAPDU.error(invoke: invoke, PHDError.noSuchAction)))
        }
    }

    private mutating func sendEntries(into actions: inout [SimulatorAction]) {
        guard let transfer else { return }
        let records = segments[transfer.segment]
        let end = min(records.count, transfer.index + cuff.entries)
        let range = transfer.index..<end
        let cuff = self.cuff
        send(into: &actions) { cuff.segmentData(invoke: $0, instance: UInt16(transfer.segment + 1), records, range) }
    }

    mutating func segmentConfirmed(_ status: UInt16, into actions: inout [SimulatorAction]) {
        guard let current = transfer else { return }
        if status & PHDSegmentEvent.managerAborts != 0 {
            transfer = nil
        } else if status & PHDSegmentEvent.managerConfirms == 0 {
            sendEntries(into: &actions)
        } else if current.index + cuff.entries < segments[current.segment].count {
            transfer = (current.segment, current.index + cuff.entries)
            sendEntries(into: &actions)
        } else {
            transfer = nil
        }
    }
}

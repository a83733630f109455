/// Event reports: configurations, observations, stored segments, and their confirmations.
/// Event report   off 12 u16 handle, 14 u32 event time, 18 u16 event type, 20 u16 length, 22 info
extension PHDSession {
    mutating func receiveReport(
        _ apdu: Span<UInt8>, _ invoke: UInt16, isConfirmed: Bool, into actions: inout SessionActions
    ) {
        guard let handle = apdu.bigEndian16(12), let event = apdu.bigEndian16(18), let length = apdu.bigEndian16(20),
            22 + Int(length) == apdu.count
        else { return refuseReport(invoke, isConfirmed, into: &actions) }
        if event == PHDEvent.configuration { return receiveConfiguration(apdu, invoke, into: &actions) }
        guard association.processesReports else {
            return perform(isConfirmed ? .confirmedReport : .unconfirmedReport, invoke: invoke, into: &actions)
        }
        let head = PHDReportHead(invoke: invoke, handle: handle, event: event, isConfirmed: isConfirmed)
        if event == PHDEvent.segmentData {
            receiveSegmentData(apdu, head, into: &actions)
        } else if let shape = PHDEvent.shape(event) {
            receiveObservations(apdu, head, shape, into: &actions)
        } else {
            actions.ignore("an event report of no known type", apdu.part(18, 2))
            if isConfirmed { write(PHDManagerAPDU.error(invoke: invoke, PHDError.noSuchAction), into: &actions) }
        }
    }

    private mutating func refuseReport(_ invoke: UInt16, _ isConfirmed: Bool, into actions: inout SessionActions) {
        guard isConfirmed || state != .operating else {
            return actions.note("an unconfirmed report whose lengths disagree gives no reading")
        }
        refuseStructure(invoke, into: &actions)
    }

    /// Parses a whole report before emitting: half of a damaged report must not become a reading.
    mutating func receiveObservations(
        _ apdu: Span<UInt8>, _ head: PHDReportHead, _ shape: PHDEvent.Shape, into actions: inout SessionActions
    ) {
        var scanner: Int?
        if shape.isScanner || head.handle != 0 {
            scanner = configurations.current.scanners.firstIndex { $0.handle == head.handle }
            guard scanner != nil, shape.isScanner else {
                actions.ignore("a report of an object that is not a scanner", apdu.part(12, 10))
                if head.isConfirmed { write(PHDManagerAPDU.error(invoke: head.invoke, PHDError.noSuchObjectInstance), into: &actions) }
                return
            }
        }
        guard reports.read(shape, configurations.current, scanner: scanner, apdu, head.info) else {
            // The configuration may be wrong.
            _ = doubtConfiguration()
            return refuseReport(head.invoke, head.isConfirmed, into: &actions)
        }
        let number = apdu.bigEndian16(head.info &+ 2) ?? 0
        if head.isConfirmed, reports.unstamped.repeats(apdu, head.info, number) { return finish(apdu, head, into: &actions) }
        reports.note(number, into: &actions)
        if refusesMemory(apdu, into: &actions) { return }
        let undecodable = reports.observations.count { $0.isCut }
        // Before anything is emitted: the agent keeps a report that is not confirmed.
        if undecodable > 0, mistrustConfiguration(undecodable, into: &actions) { return }
        reports.joiner.begin()
        let before = actions.readings.count
        var unknown = 0
        for observation in reports.observations where !observation.isCut {
            if observation.object < 0 {
                if placeUnknown(observation, apdu, into: &actions) { unknown += 1 }
            } else {
                place(observation, configurations.current.objects[observation.object], apdu, origin: .push, sequence: nil, into: &actions)
            }
            if reports.joiner.isFull { finishJoining(into: &actions) }
        }
        finishJoining(into: &actions)
        if unknown > 0 { noteUnknown(unknown, into: &actions) }
        reports.unstamped.noteStamped()
        if head.isConfirmed {
            reports.unstamped.mark(
                &actions.readings, from: before, of: apdu, head.info, number, emitted: confirmations.emitted)
        }
        reports.learn(apdu, head, configurations.current)
        finish(apdu, head, into: &actions)
    }

    private mutating func finishJoining(into actions: inout SessionActions) {
        guard !reports.joiner.isEmpty else { return }
        confirmations.noteEmitted(reports.joiner.finishReport(PHDJoiner.Expectation(configurations.current), into: &actions))
    }

    /// The fast form of `receiveObservations`; `false` if it does not apply.
    @inline(__always)
    mutating func receiveRepeatedReport(_ apdu: Span<UInt8>, into actions: inout SessionActions) -> Bool {
        guard association.processesReports, reports.repeated.matches(apdu), reports.joiner.isEmpty, !configurations.isDoubtful,
            let invoke = apdu.bigEndian16(6), let number = apdu.bigEndian16(24)
        else { return false }
        let emitted = reports.repeated.emit(apdu, into: &actions)
        guard emitted > 0 else { return false }
        noteProof(into: &actions)
        forgetApplicant(into: &actions)
        reports.note(number, into: &actions)
        reports.unstamped.noteStamped()
        confirmations.noteEmitted(emitted)
        let repeated = reports.repeated.head(invoke)
        finish(apdu, repeated, into: &actions)
        return true
    }

    /// A report was read and its readings emitted: it is confirmed when they are on disk.
    @inline(__always)
    private mutating func finish(_ apdu: Span<UInt8>, _ head: PHDReportHead, into actions: inout SessionActions) {
        let digest = digest(apdu, from: head.info &+ 4)
        guard head.isConfirmed else { return noteUnconfirmed(digest, into: &actions) }
        confirmations.append(head, digest: digest)
        if !confirmations.isCommitOutstanding { confirm(into: &actions) }
    }

    /// Sends the confirmations whose readings are on disk, in as few writes as possible.
    mutating func confirm(into actions: inout SessionActions) {
        if reports.unstamped.isOutstanding { acknowledgeUnstamped(into: &actions) }
        while true {
            let due = confirmations.nextDue()
            guard let first = confirmations[due].first else { break }
            guard !isPassive else { continue }
            if command.isStriving { for next in confirmations[due] { progress.confirmed(next.digest) } }
            if let segment = first.segment {
                let status = PHDSegmentEvent.managerConfirms
                actions.append(.write(segment.confirmation(invoke: first.invoke, handle: first.handle, status: status)))
                segmentConfirmed(segment, into: &actions)
            } else {
                let written = PHDManagerAPDU.confirmations(confirmations[due])
                echoes.expect(confirmations: written)
                actions.append(.write(written))
            }
        }
        confirmations.removeConfirmed()
    }
}

/// Segments of a PM-store: what they hold, and their confirmation.
extension PHDSession {
    /// off 22 u16 instance, 24 u32 index, 28 u32 count, 32 u16 status, 34 u16 length, 36 entries
    mutating func takeSegmentData(
        _ apdu: Span<UInt8>, _ invoke: UInt16, _ handle: UInt16, into actions: inout SessionActions
    ) {
        guard let instance = apdu.bigEndian16(22), let index = apdu.bigEndian32(24), let count = apdu.bigEndian32(28),
            let status = apdu.bigEndian16(32), let length = apdu.bigEndian16(34), 36 + Int(length) == apdu.count
        else { return refuseStructure(invoke, into: &actions) }
        guard configuration.stores.contains(where: { $0.handle == handle }) else {
            return write(PHDManagerAPDU.error(invoke: invoke, PHDError.noSuchObjectInstance), into: &actions)
        }
        let event = PHDSegmentEvent(instance: instance, index: index, count: count, status: status)
        let place = stores.firstIndex { $0.handle == handle }
        let number = place.flatMap { store in stores[store].segments.firstIndex { $0.instance == instance } }
        guard let place, let number else {
            actions.append(.report(.warning("entries of segment \(instance), which nobody described, cannot be read")))
            return reply(event, invoke, handle, PHDSegmentEvent.managerAborts, into: &actions)
        }
        if status & PHDSegmentEvent.agentAborts != 0 {
            actions.append(.report(.warning("the agent broke off the transfer of segment \(instance)")))
            stopTransfer(place, number, into: &actions)
            reply(event, invoke, handle, PHDSegmentEvent.agentAborts, into: &actions)
            resume(place, number, into: &actions)
            return advance(into: &actions)
        }
        let segment = stores[place].segments[number]
        // What was broken off comes again from its first entry; what is still under way of it is stopped.
        let isStopped = segment.progress == .failed || segment.progress == .waiting && segment.tries > 0
        if !isPassive, isStopped || !segment.isDecodable {
            return reply(event, invoke, handle, PHDSegmentEvent.managerAborts, into: &actions)
        }
        guard segment.isDecodable else { return }
        if !isPassive, segment.progress == .transferring, index > segment.next {
            return restart(place, number, event, invoke, handle, into: &actions)
        }
        guard Int(count) * segment.entrySize == Int(length), Int(count) * segment.elements.count <= PHDReport.ceiling,
            readEntries(segment, event, apdu, into: &actions)
        else {
            stopTransfer(place, number, into: &actions)
            refuseStructure(invoke, into: &actions)
            resume(place, number, into: &actions)
            return advance(into: &actions)
        }
        stores[place].segments[number].next = max(segment.next, index &+ count)
        pendingConfirmations.append(
            PendingConfirmation(
                through: emitted, digest: digest(apdu, from: 22), invoke: invoke, handle: handle, event: PHDEvent.segmentData,
                segment: event))
        if emitted <= committed { confirm(into: &actions) }
    }

    private mutating func readEntries(
        _ segment: PHDSegment, _ event: PHDSegmentEvent, _ apdu: Span<UInt8>, into actions: inout SessionActions
    ) -> Bool {
        observations.removeAll(keepingCapacity: true)
        var offset = 36
        for number in 0..<event.count {
            guard segment.read(apdu, &offset, apdu.count, number: event.index &+ number, into: &observations) else { return false }
        }
        var whole = PHDJoiner()
        whole.isStore = true
        swap(&whole, &joiner)
        for (number, observation) in observations.enumerated() {
            // Entries are whole in themselves: nothing of one joins another.
            let entry = number / max(1, segment.elements.count)
            if number % max(1, segment.elements.count) == 0 {
                if joiner.isFull { emitted += joiner.finishReport(PHDJoiner.Expectation(), into: &actions) }
                joiner.begin()
            }
            place(
                observation, segment.elements[observation.object], apdu, origin: .memory,
                sequence: observation.stamp.kind == .none ? event.index &+ UInt32(truncatingIfNeeded: entry) : nil,
                into: &actions)
        }
        emitted += joiner.finishReport(PHDJoiner.Expectation(), into: &actions)
        swap(&whole, &joiner)
        return true
    }

    private mutating func reply(
        _ event: PHDSegmentEvent, _ invoke: UInt16, _ handle: UInt16, _ status: UInt16, into actions: inout SessionActions
    ) {
        guard !isPassive else { return }
        actions.append(.write(event.confirmation(invoke: invoke, handle: handle, status: status)))
    }

    /// A hole in the entries: the transfer is stopped and begun again, twice at most.
    private mutating func restart(
        _ place: Int, _ number: Int, _ event: PHDSegmentEvent, _ invoke: UInt16, _ handle: UInt16,
        into actions: inout SessionActions
    ) {
        actions.append(.report(.warning("entries before \(event.index) of segment \(event.instance) did not arrive")))
        reply(event, invoke, handle, PHDSegmentEvent.managerAborts, into: &actions)
        stopTransfer(place, number, into: &actions)
        if stores[place].segments[number].tries < 2 {
            stores[place].segments[number].tries += 1
            stores[place].segments[number].progress = .waiting
        }
        advance(into: &actions)
    }

    /// A transfer that the agent broke off, did not end in time or damaged is begun again after a second, twice at most; it
    /// begins at the first entry, and what came before has the same ids.
    mutating func resume(_ place: Int, _ number: Int, into actions: inout SessionActions) {
        guard !isPassive, stores[place].segments[number].tries < 2 else { return }
        stores[place].segments[number].tries += 1
        stores[place].segments[number].progress = .waiting
        isRetrying = true
        actions.append(.arm(.retry, .seconds(1)))
    }

    mutating func stopTransfer(_ place: Int, _ number: Int, into actions: inout SessionActions) {
        stores[place].segments[number].progress = .failed
        guard transfer.map({ $0.store == place && $0.segment == number }) ?? false else { return }
        transfer = nil
        actions.append(.disarm(.store))
    }

    /// The confirmation of a segment event has gone out.
    mutating func segmentConfirmed(_ event: PHDSegmentEvent, into actions: inout SessionActions) {
        guard event.status & PHDSegmentEvent.last != 0, let transfer,
            stores[transfer.store].segments[transfer.segment].instance == event.instance
        else { return }
        let segment = stores[transfer.store].segments[transfer.segment]
        stores[transfer.store].segments[transfer.segment].progress = .complete
        stores[transfer.store].segments[transfer.segment].isWhole = segment.usage == segment.next
        if let usage = segment.usage, usage != segment.next {
            // More or fewer than announced: not what may be cleared, and worth telling.
            actions.append(.report(.warning("segment \(event.instance) announced \(usage) entries and sent \(segment.next)")))
            if segment.next < usage { stores[transfer.store].segments[transfer.segment].progress = .failed }
        }
        self.transfer = nil
        actions.append(.disarm(.store))
        advance(into: &actions)
    }
}

extension PHDSession {
    /// For a segment without its own limit: policy.
    private static let transferTimeout = Duration.seconds(60)

    /// off 22 u16 instance, 24 u32 index, 28 u32 count, 32 u16 status, 34 u16 length, 36 entries
    mutating func receiveSegmentData(
        _ apdu: Span<UInt8>, _ head: PHDReportHead, into actions: inout SessionActions
    ) {
        guard let instance = apdu.bigEndian16(22), let index = apdu.bigEndian32(24), let count = apdu.bigEndian32(28),
            let status = apdu.bigEndian16(32), let length = apdu.bigEndian16(34), 36 + Int(length) == apdu.count
        else { return refuseStructure(head.invoke, into: &actions) }
        guard stores.index(head.handle) != nil else {
            return write(PHDManagerAPDU.error(invoke: head.invoke, PHDError.noSuchObjectInstance), into: &actions)
        }
        let event = PHDSegmentEvent(instance: instance, index: index, count: count, status: status)
        guard let place = stores.place(head.handle, instance) else {
            actions.warn("entries of segment \(instance), which the agent has not described, cannot be read")
            return reply(event, head, PHDSegmentEvent.managerAborts, into: &actions)
        }
        if status & PHDSegmentEvent.agentAborts != 0 {
            actions.warn("the agent broke off the transfer of segment \(instance)")
            stopTransfer(place, into: &actions)
            reply(event, head, PHDSegmentEvent.agentAborts, into: &actions)
            resume(place, into: &actions)
            return advance(into: &actions)
        }
        let segment = stores[place]
        // A broken transfer restarts at the first entry; what is still arriving of it is stopped.
        let isStopped = segment.progress == .failed || segment.progress == .waiting && segment.tries > 0
        if !isPassive, isStopped || !segment.isDecodable {
            return reply(event, head, PHDSegmentEvent.managerAborts, into: &actions)
        }
        guard segment.isDecodable else { return }
        if !isPassive, segment.progress == .transferring, index > segment.next {
            return restart(place, event, head, into: &actions)
        }
        guard Int(count) * segment.entrySize == Int(length), Int(count) * segment.elements.count <= PHDReport.ceiling,
            let observations = segment.read(apdu, from: event.index, count)
        else {
            stopTransfer(place, into: &actions)
            refuseStructure(head.invoke, into: &actions)
            resume(place, into: &actions)
            return advance(into: &actions)
        }
        if refusesMemory(entries: observations, segment.elements, apdu, into: &actions) { return }
        readEntries(observations, place, event, apdu, into: &actions)
        stores.update(place) { $0.next = max(segment.next, index &+ count) }
        confirmations.append(head, digest: digest(apdu, from: head.info), segment: event)
        if !confirmations.isCommitOutstanding { confirm(into: &actions) }
    }

    private mutating func readEntries(
        _ observations: [PHDObservation], _ segmentPlace: PHDStores.Place, _ event: PHDSegmentEvent, _ apdu: Span<UInt8>,
        into actions: inout SessionActions
    ) {
        let segment = stores[segmentPlace]
        // Entries are complete: they are not joined with others, or with reports.
        var others = PHDJoiner()
        others.isStore = true
        swap(&others, &reports.joiner)
        for (number, observation) in observations.enumerated() {
            let (entry, part) = number.quotientAndRemainder(dividingBy: max(1, segment.elements.count))
            if part == 0 {
                if reports.joiner.isFull { finishEntries(into: &actions) }
                reports.joiner.begin()
            }
            let isRead = place(
                observation, segment.elements[observation.object], apdu, origin: .memory,
                sequence: observation.stamp.isMatchable ? nil : event.index &+ UInt32(truncatingIfNeeded: entry), into: &actions)
            if !isRead { stores.update(segmentPlace) { $0.lacksReadings = true } }
        }
        finishEntries(into: &actions)
        swap(&others, &reports.joiner)
    }

    private mutating func finishEntries(into actions: inout SessionActions) {
        confirmations.noteEmitted(reports.joiner.finishReport(PHDJoiner.Expectation(), into: &actions))
    }

    private mutating func reply(
        _ event: PHDSegmentEvent, _ head: PHDReportHead, _ status: UInt16, into actions: inout SessionActions
    ) {
        guard !isPassive else { return }
        actions.append(.write(event.confirmation(invoke: head.invoke, handle: head.handle, status: status)))
    }

    /// Entries are missing: the transfer is stopped and restarted, twice at most.
    private mutating func restart(
        _ place: PHDStores.Place, _ event: PHDSegmentEvent, _ head: PHDReportHead, into actions: inout SessionActions
    ) {
        actions.warn("entries before \(event.index) of segment \(event.instance) did not arrive")
        reply(event, head, PHDSegmentEvent.managerAborts, into: &actions)
        stopTransfer(place, into: &actions)
        _ = stores.mayRestart(place)
        advance(into: &actions)
    }

    /// Restarts a broken transfer at the first entry after a second, twice at most; repeated entries have the same ids.
    mutating func resume(_ place: PHDStores.Place, into actions: inout SessionActions) {
        guard !isPassive, stores.mayRestart(place) else { return }
        stores.pause()
        actions.arm(.retry, .seconds(1))
    }

    mutating func stopTransfer(_ place: PHDStores.Place, into actions: inout SessionActions) {
        if stores.stop(place) { actions.disarm(.store) }
    }

    mutating func segmentConfirmed(_ event: PHDSegmentEvent, into actions: inout SessionActions) {
        guard event.status & PHDSegmentEvent.last != 0, case .transferring(let place) = stores.phase,
            stores[place].instance == event.instance
        else { return }
        let segment = stores[place]
        if let usage = segment.usage, usage != segment.next {
            // Such a segment may not be cleared: docs/PHD.md §8.4.
            actions.warn("segment \(event.instance) announced \(usage) entries and sent \(segment.next)")
        }
        stores.update(place) {
            $0.isWhole = segment.usage == segment.next && !segment.lacksReadings
            $0.progress = segment.next < segment.usage ?? 0 ? .failed : .complete
        }
        stores.endTransfer()
        actions.disarm(.store)
        advance(into: &actions)
    }

    mutating func askStore(_ step: PHDStores.Step, into actions: inout SessionActions) {
        switch step {
        case .attributes(let handle): ask(into: &actions) { PHDManagerAPDU.get(invoke: $0, handle: handle) }
        case .segments(let store): askSegments(stores.all[store], into: &actions)
        case .transfer(let handle, let instance):
            ask(into: &actions) {
                PHDManagerAPDU.action(invoke: $0, handle: handle, PHDAction.triggerTransfer) { $0.append16(instance) }
            }
        }
    }

    func selection(of store: PHDStoreState) -> PHDSelection {
        guard case .range(let range) = options.timeRange, store.selectsByTime, agent.facts?.hasBaseOffsetTime != true else {
            return .all
        }
        return .range(range)
    }

    mutating func askSegments(_ store: PHDStoreState, into actions: inout SessionActions) {
        let selection = selection(of: store)
        if selection == .all, options.timeRange != .none, store.rounds == 0 {
            actions.note("the agent's store cannot be asked for a range of time, so everything is fetched")
        }
        ask(into: &actions) { PHDManagerAPDU.action(invoke: $0, handle: store.handle, PHDAction.segmentInfo, selection.append) }
    }

    /// SEG_GET_INFO: off 14 action, 16 length, 18 list.
    mutating func receiveSegments(_ apdu: Span<UInt8>, _ handle: UInt16, into actions: inout SessionActions) {
        guard let place = stores.index(handle) else { return }
        guard apdu.bigEndian16(14) == PHDAction.segmentInfo,
            let segments = PHDSegment.list(apdu, 18, apdu.count, configurations.current)
        else {
            stores.fail(handle)
            return actions.warn("the PM-store \(handle) did not describe its segments")
        }
        for warning in stores.list(segments, of: place, user: command.user) { actions.warn(warning) }
    }

    /// 0 ok, 1 no such segment, 2 try later, 3 empty, others unknown; `nil` if the agent refused.
    mutating func receiveTrigger(_ place: PHDStores.Place, _ result: UInt16?, into actions: inout SessionActions) {
        let segment = stores[place]
        switch result {
        case 0:
            stores.update(place) { ($0.progress, $0.next) = (.transferring, 0) }
            guard !isPassive else { return }
            stores.beginTransfer(place)
            if let usage = segment.usage, usage <= 1_000_000 { actions.append(.report(.announced(records: Int(usage)))) }
            let ticks = segment.transferTimeout ?? 0
            // The agent's own limit, but at least the time of an answer.
            actions.arm(.store, ticks == 0 ? Self.transferTimeout : max(.milliseconds(Int64(ticks) / 8), Self.requestTimeout))
        case 2 where segment.tries < 3:
            stores.update(place) { $0.tries += 1 }
            stores.pause()
            if !isPassive { actions.arm(.retry, .seconds(1)) }
        case 3: stores.update(place) { $0.progress = .empty }
        default:
            stores.update(place) { $0.progress = .failed }
            actions.warn("segment \(segment.instance) was not transferred (result \(result.map { "\($0)" } ?? "none"))")
        }
    }
}

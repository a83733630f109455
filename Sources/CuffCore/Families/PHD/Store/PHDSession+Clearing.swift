extension PHDSession {
    /// Segments named in one SEG_CLR: 26 + 2 x 64 bytes stay below the 224 that every agent accepts.
    private static let selectionLimit = 64

    /// Clears segments that were fetched completely, are on disk, and have not grown. Returns whether a request was sent.
    mutating func clearNext(into actions: inout SessionActions) -> Bool {
        guard !stores.isEmpty else {
            command.outcome = .unsupported("this agent has no store to clear")
            return false
        }
        for place in stores.all.indices where !stores.all[place].isCleared {
            let store = stores.all[place]
            guard store.progress == .listed else {
                command.outcome = .failed("the agent's store could not be read, so it was not cleared")
                return false
            }
            let fetched = store.segments.filter { $0.progress == .complete }
            guard !fetched.isEmpty else {
                stores.update(store: place) { $0.isCleared = true }
                if store.segments.contains(where: { $0.progress == .failed || !$0.isDecodable }) {
                    command.outcome = .failed("a part of the agent's store could not be fetched, so that part was not cleared")
                    return false
                }
                continue
            }
            if !store.isVerified {
                // Readings may have been added during the transfer: look again, right before.
                guard store.rounds <= 3 else {
                    command.outcome = .failed("the agent's store kept growing, so it was not cleared")
                    return false
                }
                askSegments(store, into: &actions)
                return true
            }
            let complete = fetched.filter(\.isWhole).map(\.instance)
            guard !complete.isEmpty else {
                stores.update(store: place) { $0.isCleared = true }
                command.outcome = .failed(
                    fetched.contains(where: \.lacksReadings)
                        ? "a part of the agent's store has values that cannot be stored here, so it was not cleared"
                        : "a part of the agent's store did not send as many entries as it announced, so that part was not cleared")
                return false
            }
            guard let (selection, part) = clearance(of: store, complete) else { return false }
            let ticks = store.clearTimeout ?? 0
            stores.update(store: place) { $0.clearing = part }
            ask(within: max(.milliseconds(Int64(ticks) / 8), Self.requestTimeout), into: &actions) {
                PHDManagerAPDU.action(invoke: $0, handle: store.handle, PHDAction.clearSegments, selection.append)
            }
            return true
        }
        command.outcome = .complete
        return false
    }

    /// How to name what may be cleared; `nil` if the agent can only clear more than that.
    private mutating func clearance(of store: PHDStoreState, _ complete: [UInt16]) -> (PHDSelection, [UInt16])? {
        let selection = selection(of: store)
        if options.timeRange != .none, selection == .all {
            command.outcome = .unsupported("this agent's store cannot be asked for a range of time, so nothing was cleared")
            return nil
        }
        if store.clearsByList {
            let part = Array(complete.prefix(Self.selectionLimit))
            return (.list(part), part)
        }
        // One call clears everything that the selection names.
        guard store.segments.allSatisfy({ $0.progress == .complete && $0.isWhole || $0.progress == .empty || $0.progress == .cleared })
        else {
            command.outcome = .failed("not every segment could be fetched, and the agent clears only all of them")
            return nil
        }
        guard selection == .all || store.clearsByTime else {
            command.outcome = .unsupported("this agent clears only everything, and not a range of time")
            return nil
        }
        return (selection, complete)
    }

    mutating func receiveClearance(_ handle: UInt16, _ isAnswer: Bool, isRefusal: Bool, into actions: inout SessionActions) {
        if let place = stores.index(handle) {
            stores.update(store: place) { store in
                for index in store.segments.indices where isAnswer && store.clearing.contains(store.segments[index].instance) {
                    store.segments[index].progress = .cleared
                }
                store.clearing = []
            }
        }
        guard !command.isObserver else { return }
        if !isAnswer {
            command.outcome = .failed(
                isRefusal ? "the agent refused to clear its store" : "the agent did not say that it cleared its store")
        }
        conclude(into: &actions)
    }
}

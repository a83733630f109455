/// The actions of a session, in order; a reused buffer. Readings, which can number millions, are in a separate array.
public struct SessionActions: Sendable, Sequence {
    /// The readings among the actions, in order.
    public var readings: [Reading] = []
    /// An action other than a reading.
    public struct Other: Sendable {
        /// The number of readings before this action.
        public let after: Int
        /// Any action but `emit`.
        public let action: SessionAction
        /// For a live event: its time by the cuff's own counter, from any origin; `nil` without a counter.
        public let sampled: Duration?
    }
    /// The other actions, in order.
    public private(set) var others: [Other] = []

    /// No actions.
    public init() {}

    /// Appends an action; a reading goes into `readings`.
    @inline(__always)
    public mutating func append(_ action: SessionAction) {
        if case .emit(let reading) = action {
            emit(reading)
        } else {
            others.append(Other(after: readings.count, action: action, sampled: nil))
        }
    }

    /// Appends a live event with the cuff's own time, so that events arriving together are reported as far apart as measured.
    public mutating func append(_ event: LiveEvent, sampled: Duration) {
        others.append(Other(after: readings.count, action: .live(event), sampled: sampled))
    }

    /// Appends a reading, like `.emit` but without the enum.
    @inline(__always)
    public mutating func emit(_ reading: Reading) { readings.append(reading) }

    /// Appends each of `more`.
    public static func += (actions: inout SessionActions, more: some Sequence<SessionAction>) {
        for action in more { actions.append(action) }
    }

    /// There are no actions.
    public var isEmpty: Bool { readings.isEmpty && others.isEmpty }

    /// Empties the buffer but keeps its storage.
    public mutating func removeAll() {
        if !readings.isEmpty { readings.removeAll(keepingCapacity: true) }
        if !others.isEmpty { others.removeAll(keepingCapacity: true) }
    }

    /// The actions in order, each reading as `.emit`.
    public func makeIterator() -> Iterator { Iterator(actions: self) }

    /// Iterates over the actions in order.
    public struct Iterator: IteratorProtocol {
        fileprivate let actions: SessionActions
        private var reading = 0
        private var other = 0

        fileprivate init(actions: SessionActions) { self.actions = actions }

        /// The next action; `nil` at the end.
        public mutating func next() -> SessionAction? {
            if other < actions.others.count, actions.others[other].after <= reading {
                defer { other += 1 }
                return actions.others[other].action
            }
            guard reading < actions.readings.count else { return nil }
            defer { reading += 1 }
            return .emit(actions.readings[reading])
        }
    }
}

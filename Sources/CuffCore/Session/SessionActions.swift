/// What a session wants done, in its order; the buffer is reused from event to event.
///
/// Readings lie apart from the other actions, in one array without a case around each: they are the one kind that comes
/// by the million, and here they can be named and handed on in place.
public struct SessionActions: Sendable, Sequence {
    /// The readings among the actions, in order.
    public var readings: [Reading] = []
    /// An action other than a reading, with the number of readings that came before it.
    public struct Other: Sendable {
        /// How many readings were emitted before this action.
        public let after: Int
        /// Any action but `emit`.
        public let action: SessionAction
        /// Of a live event: when it was by the cuff's own counter, from any origin; `nil` where the cuff has none.
        public let sampled: Duration?
    }
    /// The actions that are not readings, in order.
    public private(set) var others: [Other] = []

    /// No actions.
    public init() {}

    /// Adds an action behind all others; a reading goes into `readings`.
    @inline(__always)
    public mutating func append(_ action: SessionAction) {
        if case .emit(let reading) = action {
            emit(reading)
        } else {
            others.append(Other(after: readings.count, action: action, sampled: nil))
        }
    }

    /// Adds a live event that carries a time of the cuff's own counter: several that arrive together are reported as far apart as they
    /// were measured.
    public mutating func append(_ event: LiveEvent, sampled: Duration) {
        others.append(Other(after: readings.count, action: .live(event), sampled: sampled))
    }

    /// How a session gives a reading: what appending `.emit` would do, without the box around it.
    @inline(__always)
    public mutating func emit(_ reading: Reading) { readings.append(reading) }

    /// Appends each of `more` in order.
    public static func += (actions: inout SessionActions, more: some Sequence<SessionAction>) {
        for action in more { actions.append(action) }
    }

    /// All actions, readings included.
    public var count: Int { readings.count + others.count }
    /// No action was appended.
    public var isEmpty: Bool { readings.isEmpty && others.isEmpty }

    /// Empties the buffer and keeps its storage.
    public mutating func removeAll() {
        if !readings.isEmpty { readings.removeAll(keepingCapacity: true) }
        if !others.isEmpty { others.removeAll(keepingCapacity: true) }
    }

    /// The actions in their order, each reading as `.emit`.
    public func makeIterator() -> Iterator { Iterator(actions: self) }

    /// Gives the actions in their order.
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

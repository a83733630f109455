/// What a session wants done, in its order; the buffer is reused from event to event.
///
/// Readings lie apart from the other actions, in one array without a case around each: they are the one kind that comes
/// by the million, and here they can be named and handed on in place.
public struct SessionActions: Sendable, Sequence {
    public var readings: [Reading] = []
    /// An action that is no reading, with the number of readings that came before it.
    public struct Other: Sendable {
        public let after: Int
        public let action: SessionAction
    }
    public private(set) var others: [Other] = []

    public init() {}

    @inline(__always)
    public mutating func append(_ action: SessionAction) {
        if case .emit(let reading) = action { emit(reading) } else { others.append(Other(after: readings.count, action: action)) }
    }

    /// How a session gives a reading: what appending `.emit` would do, without the box around it.
    @inline(__always)
    public mutating func emit(_ reading: Reading) { readings.append(reading) }

    public static func += (actions: inout SessionActions, more: some Sequence<SessionAction>) {
        for action in more { actions.append(action) }
    }

    public var count: Int { readings.count + others.count }
    public var isEmpty: Bool { readings.isEmpty && others.isEmpty }

    public mutating func removeAll() {
        if !readings.isEmpty { readings.removeAll(keepingCapacity: true) }
        if !others.isEmpty { others.removeAll(keepingCapacity: true) }
    }

    public func makeIterator() -> Iterator { Iterator(actions: self) }

    public struct Iterator: IteratorProtocol {
        fileprivate let actions: SessionActions
        private var reading = 0
        private var other = 0

        fileprivate init(actions: SessionActions) { self.actions = actions }

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

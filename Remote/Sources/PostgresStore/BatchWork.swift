/// Stores a batch in spite of readings in it that the server refuses: what fails is halved, until the one reading is found.
public struct BatchWork: Sendable {
    private var rest: [Range<Int>]

    public init(count: Int) { rest = count > 0 ? [0..<count] : [] }

    /// What to try now; `nil` when everything is stored or refused.
    public var current: Range<Int>? { rest.last }

    /// The current range is stored.
    public mutating func stored() { _ = rest.popLast() }

    /// The server refuses something in the current range. Answers with the reading when that is the only one.
    public mutating func refused() -> Int? {
        guard let range = rest.popLast() else { return nil }
        guard range.count > 1 else { return range.lowerBound }
        let middle = range.lowerBound + range.count / 2
        rest.append(middle..<range.upperBound)
        rest.append(range.lowerBound..<middle)
        return nil
    }
}

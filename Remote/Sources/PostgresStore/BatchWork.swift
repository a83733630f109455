/// Stores a batch that may contain readings the server refuses: a failed range is halved until the reading is found.
public struct BatchWork: Sendable {
    private var rest: [Range<Int>]

    public init(count: Int) { rest = count > 0 ? [0..<count] : [] }

    /// The range to try; `nil` when everything is stored or refused.
    public var current: Range<Int>? { rest.last }

    /// The current range is stored.
    public mutating func stored() { _ = rest.popLast() }

    /// The server refused the current range. Returns the index of the reading if the range has only one.
    public mutating func refused() -> Int? {
        guard let range = rest.popLast() else { return nil }
        guard range.count > 1 else { return range.lowerBound }
        let middle = range.lowerBound + range.count / 2
        rest.append(middle..<range.upperBound)
        rest.append(range.lowerBound..<middle)
        return nil
    }
}

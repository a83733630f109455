/// A fixed word of this program, e.g. a driver id or unit, without the reference counting of a `String`.
public struct StaticName: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The literal.
    public let literal: StaticString

    /// Creates a name.
    public init(stringLiteral literal: StaticString) { self.literal = literal }

    /// The name as a `String`.
    public var description: String { literal.description }

    /// The same text, not necessarily the same literal.
    public static func == (a: StaticName, b: StaticName) -> Bool {
        let first = UnsafeBufferPointer(start: a.literal.utf8Start, count: a.literal.utf8CodeUnitCount)
        let second = UnsafeBufferPointer(start: b.literal.utf8Start, count: b.literal.utf8CodeUnitCount)
        return first.count == second.count && (first.baseAddress == second.baseAddress || first.elementsEqual(second))
    }

    /// Whether it is the same literal. Equal words usually are, but need not be.
    @inline(__always)
    func isIdentical(to other: StaticName) -> Bool {
        literal.utf8Start == other.literal.utf8Start && literal.utf8CodeUnitCount == other.literal.utf8CodeUnitCount
    }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes: UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }
}

/// The name of a driver, e.g. `and-std`; listed in `CuffFamilies.all`.
public typealias DriverID = StaticName

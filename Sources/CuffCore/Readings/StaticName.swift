/// A fixed word of this program's own vocabulary: a driver id, a unit, a name of the nomenclature.
/// It costs no reference counting, which a `String` in every reading would.
public struct StaticName: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The literal itself.
    public let literal: StaticString

    /// A name from a literal of the program.
    public init(_ literal: StaticString) { self.literal = literal }
    /// The same, as Swift's literal syntax uses it.
    public init(stringLiteral literal: StaticString) { self.literal = literal }

    /// The name as a `String`.
    public var description: String { literal.description }

    /// The same text, whether or not it is the same literal.
    public static func == (a: StaticName, b: StaticName) -> Bool {
        let first = UnsafeBufferPointer(start: a.literal.utf8Start, count: a.literal.utf8CodeUnitCount)
        let second = UnsafeBufferPointer(start: b.literal.utf8Start, count: b.literal.utf8CodeUnitCount)
        return first.count == second.count && (first.baseAddress == second.baseAddress || first.elementsEqual(second))
    }

    /// Whether it is the same literal of the program. Equal words are identical as a rule, but need not be.
    @inline(__always)
    func isIdentical(to other: StaticName) -> Bool {
        literal.utf8Start == other.literal.utf8Start && literal.utf8CodeUnitCount == other.literal.utf8CodeUnitCount
    }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes: UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }
}

/// The name of a driver, e.g. `and-std`; one of the list in `CuffFamilies.all`.
public typealias DriverID = StaticName

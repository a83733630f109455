import CuffCore

/// A link of this run. Every opening gets a number of its own, so that news of an old link cannot be taken for the new
/// one's.
package struct LinkID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number; it grows with every opening.
    package let number: Int
    package init(_ number: Int) { self.number = number }
    /// The earlier opening is the smaller.
    package static func < (a: LinkID, b: LinkID) -> Bool { a.number < b.number }
    /// `link 3`.
    package var description: String { "link \(number)" }
}

package enum LinkEnd: Sendable, Hashable {
    /// The cuff said all it had to say.
    case complete
    /// The device went away.
    case unplugged
    /// The device could not be opened, or broke off, or did not answer; it may be tried again.
    case failed(String, status: RunStatus)
    /// It was not opened, and trying again would change nothing.
    case refused(String, status: RunStatus)
    /// We closed it.
    case closed
}

/// A link of this run. Every opening has its own number, so that late events of an old link are not mixed up.
package struct LinkID: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let number: Int
    package init(_ number: Int) { self.number = number }
    package static func < (a: LinkID, b: LinkID) -> Bool { a.number < b.number }
    package var description: String { "link \(number)" }
}

package enum LinkEnd: Sendable, Hashable {
    /// The cuff has sent everything.
    case complete
    case unplugged
    /// Opening failed, the connection broke, or the cuff did not answer; retrying may help.
    case failed(String, status: RunStatus)
    /// It was not opened, and retrying would not help.
    case refused(String, status: RunStatus)
    case closed
}

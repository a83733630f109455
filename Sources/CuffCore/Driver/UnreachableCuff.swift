/// Cuffs that people ask for and that no driver reads: why, and what can be done instead.
public struct UnreachableCuff: Sendable, Hashable {
    /// Why no driver reads them.
    public enum Reason: String, Sendable {
        /// Their readings leave them by Bluetooth, and this program opens serial lines, USB HID devices and network connections.
        case bluetooth
        /// No public description of their protocol was found.
        case unpublished
        /// What is public of their protocol is not enough to trust a number.
        case incomplete
    }

    /// As their makers call them, with the maker's name first.
    public var models: [String]
    /// Why no driver reads them.
    public var reason: Reason
    /// What is public of the protocol and what is missing, one or two sentences; empty where the reason says it.
    public var known: String
    /// What can be done instead, without a full stop.
    public var instead: String
    /// Where the reason is documented: repository and file, page, or what was looked for and when.
    public var source: String

    /// Sets each property as given.
    public init(_ models: [String], _ reason: Reason, known: String = "", instead: String, source: String) {
        self.models = models
        self.reason = reason
        self.known = known
        self.instead = instead
        self.source = source
    }
}

/// Cuffs that no driver reads: why, and what to use instead.
public struct UnreachableCuff: Sendable, Hashable {
    /// Why no driver reads them.
    public enum Reason: String, Sendable {
        /// Readings are only sent by Bluetooth, which this program does not support.
        case bluetooth
        case unpublished
        /// What is public of their protocol is not enough to trust a number.
        case incomplete
    }

    /// The maker's name, then the model.
    public var models: [String]
    /// Why no driver reads them.
    public var reason: Reason
    /// What is public of the protocol and what is missing, one or two sentences; empty where the reason says it.
    public var known: String
    /// What can be done instead, without a full stop.
    public var instead: String
    /// The source of the reason: repository and file, page, or what was searched and when.
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

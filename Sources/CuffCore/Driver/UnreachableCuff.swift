/// Cuffs that no driver reads: why, and what to use instead.
public struct UnreachableCuff: Sendable, Hashable {
    /// Why no driver reads them.
    public enum Reason: String, Sendable {
        /// Readings are only sent by Bluetooth, which this program does not support.
        case bluetooth
        case unpublished
    }

    /// The maker's name, then the model.
    public var models: [String]
    /// Why no driver reads them.
    public var reason: Reason
    /// An alternative, without a full stop.
    public var instead: String
    /// The source of the reason: repository and file, page, or what was searched and when.
    public var source: String

    /// Creates an entry.
    public init(_ models: [String], _ reason: Reason, instead: String, source: String) {
        self.models = models
        self.reason = reason
        self.instead = instead
        self.source = source
    }
}

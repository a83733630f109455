/// Why a sample or a series is refused, in HealthKit's classes of errors. It is about data to be stored, never about bytes of a cuff.
public struct HealthError: Error, Sendable, Hashable {
    /// The class of the error, named as in HealthKit.
    public enum Code: Sendable, Hashable {
        case invalidArgument, noData, dataSizeExceeded
    }

    /// The class of the error.
    public var code: Code
    /// A sentence without a full stop.
    public var reason: String

    /// Sets each property as given.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    static func invalid(_ reason: String) -> HealthError { HealthError(.invalidArgument, reason) }
}

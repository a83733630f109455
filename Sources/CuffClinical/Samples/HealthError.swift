import CuffCore

/// What can be wrong with a sample or a series, in the classes that HealthKit reports. It is about data that somebody
/// wants to store, never about bytes of a cuff.
public struct HealthError: Error, Sendable, Hashable {
    public enum Code: String, Sendable, Hashable {
        case invalidArgument = "errorInvalidArgument"
        case noData = "errorNoData"
        case dataSizeExceeded = "errorDataSizeExceeded"
        case userCanceled = "errorUserCanceled"
    }

    public var code: Code
    /// What, in a sentence without a full stop.
    public var reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    static func invalid(_ reason: String) -> HealthError { HealthError(.invalidArgument, reason) }
}

import CuffCore

/// What can be wrong with a sample or a series, in the classes that HealthKit reports. It is about data to be
/// stored, never about bytes of a cuff.
public struct HealthError: Error, Sendable, Hashable {
    /// The class of the error, named as in HealthKit.
    public enum Code: String, Sendable, Hashable {
        case invalidArgument = "errorInvalidArgument"
        case noData = "errorNoData"
        case dataSizeExceeded = "errorDataSizeExceeded"
        case userCanceled = "errorUserCanceled"
    }

    /// The class of the error.
    public var code: Code
    /// What, in a sentence without a full stop.
    public var reason: String

    /// Sets each property as given.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    static func invalid(_ reason: String) -> HealthError { HealthError(.invalidArgument, reason) }
}

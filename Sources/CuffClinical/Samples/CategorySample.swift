import CuffCore

/// An event or a symptom over an interval, with one of a few values or without one.
public struct CategorySample: Sendable, Hashable {
    /// The type of the event; always a category type.
    public let type: SampleType
    /// Its value; `nil` for a type without values.
    public let value: CategoryValue?
    /// When the event begins.
    public let start: Timestamp
    /// When the event ends, at `start` or later.
    public let end: Timestamp
    /// The program that made the sample.
    public let source: HealthSource
    /// The cuff; `nil` if it is unknown.
    public let device: DeviceIdentity?
    /// The metadata.
    public let metadata: HealthMetadata

    /// - Throws: A `HealthError`: `invalidArgument` for a type that is not a category, an end before the start, a duration that the
    ///   type does not allow, and an empty or negative sync key.
    public init(
        _ type: SampleType, value: CategoryValue? = nil, start: Timestamp, end: Timestamp, source: HealthSource,
        device: DeviceIdentity? = nil, metadata: HealthMetadata = HealthMetadata()
    ) throws(HealthError) {
        guard type.kind == .category else { throw .invalid("\(type.identifier) is not a category type") }
        try type.checkExtent(start, end)
        try metadata.check()
        (self.type, self.value, self.start, self.end) = (type, value, start, end)
        (self.source, self.device, self.metadata) = (source, device, metadata)
    }
}

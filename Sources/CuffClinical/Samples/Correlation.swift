import CuffCore

/// Samples that belong together. The only kind, blood pressure, has exactly one systolic and one diastolic sample; a heart rate is not
/// part of it.
public struct Correlation: Sendable, Hashable {
    /// The type of the correlation.
    public let type: SampleType
    /// The samples of the correlation.
    public let objects: [QuantitySample]
    /// The start of the interval that contains the samples.
    public let start: Timestamp
    /// The end of the interval that contains the samples.
    public let end: Timestamp
    /// The program that made the correlation.
    public let source: HealthSource
    /// The cuff; `nil` if it is unknown.
    public let device: DeviceIdentity?
    /// The metadata.
    public let metadata: HealthMetadata

    /// - Throws: A `HealthError`: `invalidArgument` for another type than a blood pressure, other samples than one systolic and one
    ///   diastolic pressure within its time, and what a sample may not have either.
    public init(
        _ type: SampleType, _ objects: [QuantitySample], start: Timestamp, end: Timestamp, source: HealthSource,
        device: DeviceIdentity? = nil, metadata: HealthMetadata = HealthMetadata()
    ) throws(HealthError) {
        guard type == .bloodPressure else { throw .invalid("\(type.identifier) is not a correlation type") }
        try type.checkExtent(start, end)
        try metadata.check()
        for member in [SampleType.systolic, .diastolic] {
            let count = objects.count { $0.type == member }
            guard count == 1 else { throw .invalid("a blood pressure has one \(member.identifier), not \(count)") }
        }
        guard objects.count == 2 else { throw .invalid("a blood pressure has exactly two samples") }
        for object in objects where object.start < start || object.end > end {
            throw .invalid("the objects of a correlation lie within its time")
        }
        (self.type, self.objects, self.start, self.end) = (type, objects, start, end)
        (self.source, self.device, self.metadata) = (source, device, metadata)
    }

    /// The sample of this type, or `nil`.
    public func object(_ type: SampleType) -> QuantitySample? { objects.first { $0.type == type } }
}

import CuffCore

/// An event or a symptom over an interval, with one of a few values or without one.
package struct CategorySample: Sendable, Hashable {
    package let type: SampleType
    package let value: CategoryValue?
    package let start: Timestamp
    package let end: Timestamp
    package let source: HealthSource
    package let device: DeviceIdentity?
    package let metadata: HealthMetadata

    /// Throws `invalidArgument` if type, times or metadata are inconsistent.
    init(
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

import CuffCore

/// One value of one type over one stretch of time, checked when it is made.
public struct QuantitySample: Sendable, Hashable {
    /// The type of the value; always a quantity type.
    public let type: SampleType
    /// The value; never negative, in a unit that the type allows.
    public let quantity: HealthQuantity
    /// When the value begins.
    public let start: Timestamp
    /// When the value ends, at `start` or later.
    public let end: Timestamp
    /// The program that made the sample.
    public let source: HealthSource
    /// The cuff; `nil` where it is unknown.
    public let device: DeviceIdentity?
    /// What is said beside the value.
    public let metadata: HealthMetadata

    /// Throws `errorInvalidArgument` where type, unit, value, times or metadata do not fit together.
    public init(
        _ type: SampleType, _ quantity: HealthQuantity, start: Timestamp, end: Timestamp, source: HealthSource,
        device: DeviceIdentity? = nil, metadata: HealthMetadata = HealthMetadata()
    ) throws(HealthError) {
        guard type.kind == .quantity else { throw .invalid("\(type.identifier) is not a quantity type") }
        try Self.check(quantity, of: type)
        try Extent.check(start, end, of: type)
        try metadata.check()
        self.type = type
        self.quantity = quantity
        self.start = start
        self.end = end
        self.source = source
        self.device = device
        self.metadata = metadata
    }

    static func check(_ quantity: HealthQuantity, of type: SampleType) throws(HealthError) {
        guard type.allows(quantity.unit) else {
            throw .invalid("\(quantity.unit) is not a unit of \(type.identifier)")
        }
        let value = quantity.digits.value
        guard value.isFinite, value >= 0 else { throw .invalid("a value of \(type.identifier) must not be negative") }
    }

    enum Extent {
        static func check(_ start: Timestamp, _ end: Timestamp, of type: SampleType) throws(HealthError) {
            guard start <= end else { throw .invalid("the sample ends before it starts") }
            let length = Duration.milliseconds(end.milliseconds - start.milliseconds)
            guard length < type.longest else {
                throw .invalid("a sample of \(type.identifier) must be shorter than \(type.longest.components.seconds) s")
            }
        }
    }
}

/// Samples that are one fact together. The one kind there is, blood pressure, holds exactly one systolic and one
/// diastolic sample; a heart rate stands beside it, not in it.
public struct Correlation: Sendable, Hashable {
    /// The type of the correlation.
    public let type: SampleType
    /// The samples of the correlation.
    public let objects: [QuantitySample]
    /// The beginning of the time within which the samples lie.
    public let start: Timestamp
    /// The end of the time within which the samples lie.
    public let end: Timestamp
    /// The program that made the correlation.
    public let source: HealthSource
    /// The cuff; `nil` where it is unknown.
    public let device: DeviceIdentity?
    /// What is said beside the samples.
    public let metadata: HealthMetadata

    /// Throws `errorInvalidArgument` where the samples are not the ones that the type holds.
    public init(
        _ type: SampleType, _ objects: [QuantitySample], start: Timestamp, end: Timestamp, source: HealthSource,
        device: DeviceIdentity? = nil, metadata: HealthMetadata = HealthMetadata()
    ) throws(HealthError) {
        guard type == .bloodPressure else { throw .invalid("\(type.identifier) is not a correlation type") }
        try QuantitySample.Extent.check(start, end, of: type)
        try metadata.check()
        for member in [SampleType.systolic, .diastolic] {
            let count = objects.count { $0.type == member }
            guard count == 1 else { throw .invalid("a blood pressure has one \(member.identifier), not \(count)") }
        }
        guard objects.count == 2 else { throw .invalid("a blood pressure holds nothing but its two pressures") }
        for object in objects where object.start < start || object.end > end {
            throw .invalid("the objects of a correlation lie within its time")
        }
        self.type = type
        self.objects = objects
        self.start = start
        self.end = end
        self.source = source
        self.device = device
        self.metadata = metadata
    }

    /// The sample of this type; `nil` where the correlation holds none.
    public func object(_ type: SampleType) -> QuantitySample? { objects.first { $0.type == type } }
}

/// Something that was noticed, over a time, with one of a few values or with none: a category sample.
public struct CategorySample: Sendable, Hashable {
    /// The type of the event; always a category type.
    public let type: SampleType
    /// How it was; `nil` for a type without values.
    public let value: CategoryValue?
    /// When the event begins.
    public let start: Timestamp
    /// When the event ends, at `start` or later.
    public let end: Timestamp
    /// The program that made the sample.
    public let source: HealthSource
    /// The cuff; `nil` where it is unknown.
    public let device: DeviceIdentity?
    /// What is said beside the event.
    public let metadata: HealthMetadata

    /// Throws `errorInvalidArgument` where type, times or metadata do not fit together.
    public init(
        _ type: SampleType, value: CategoryValue? = nil, start: Timestamp, end: Timestamp, source: HealthSource,
        device: DeviceIdentity? = nil, metadata: HealthMetadata = HealthMetadata()
    ) throws(HealthError) {
        guard type.kind == .category else { throw .invalid("\(type.identifier) is not a category type") }
        try QuantitySample.Extent.check(start, end, of: type)
        try metadata.check()
        self.type = type
        self.value = value
        self.start = start
        self.end = end
        self.source = source
        self.device = device
        self.metadata = metadata
    }
}

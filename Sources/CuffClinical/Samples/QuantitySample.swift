import CuffCore

/// One value of one type over an interval, checked when it is made.
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
    /// The cuff; `nil` if it is unknown.
    public let device: DeviceIdentity?
    /// The metadata.
    public let metadata: HealthMetadata

    /// - Throws: A `HealthError`: `invalidArgument` for a type that is not a quantity, a unit that the type does not have, a negative
    ///   value, an end before the start, a duration that the type does not allow, and an empty or negative sync key.
    public init(
        _ type: SampleType, _ quantity: HealthQuantity, start: Timestamp, end: Timestamp, source: HealthSource,
        device: DeviceIdentity? = nil, metadata: HealthMetadata = HealthMetadata()
    ) throws(HealthError) {
        guard type.kind == .quantity else { throw .invalid("\(type.identifier) is not a quantity type") }
        try Self.check(quantity, of: type)
        try type.checkExtent(start, end)
        try metadata.check()
        (self.type, self.quantity, self.start, self.end) = (type, quantity, start, end)
        (self.source, self.device, self.metadata) = (source, device, metadata)
    }

    static func check(_ quantity: HealthQuantity, of type: SampleType) throws(HealthError) {
        guard type.allows(quantity.unit) else {
            throw .invalid("\(quantity.unit) is not a unit of \(type.identifier)")
        }
        let value = quantity.digits.value
        guard value.isFinite, value >= 0 else { throw .invalid("a value of \(type.identifier) must not be negative") }
    }
}

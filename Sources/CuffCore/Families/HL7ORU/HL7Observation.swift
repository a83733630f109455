/// One value of the cuff, or a pulse, from an OBX.
struct HL7Observation: Sendable {
    var code: HL7Code
    var value: HL7Field.Number
    var unit: HL7Unit
    var place: HL7SubID
    /// OBX-14, or OBR-7 of its order.
    var time: DeviceTime?
    /// From OBX-8 and OBX-11.
    var flags: MeasurementFlags
    var standing: Reading.Reference.Standing
    /// OBR-2 of its order: the placer's order number.
    var placer: [UInt8]
    /// The number of its order (OBR) or patient (PID).
    var order: Int
    var patient: [UInt8]
    /// The parts of the segment that are equal in a repetition: OBX-2 to 6 and 14, or OBR-7 instead; without a running number in OBX-4.
    var record: [UInt8]
}

/// One determination of the cuff: the values of one group and time.
struct HL7Determination: Sendable {
    var pressure: BloodPressure?
    var flags: MeasurementFlags
    var standing = Reading.Reference.Standing.result
    var placer: [UInt8] = []
    /// Its own time; `nil` if only the message has one.
    var time: DeviceTime?
    var group: [UInt8]
    var patient: [UInt8]
    var record: [UInt8]
    /// Systolic, diastolic and mean as sent, which distinguish determinations without a time.
    var values: [HL7Field.Number]
    var isWhole: Bool

    /// The same patient, time of its own and values.
    func isSame(as other: HL7Determination) -> Bool {
        time != nil && time == other.time && patient == other.patient && values == other.values && standing == other.standing
    }
}

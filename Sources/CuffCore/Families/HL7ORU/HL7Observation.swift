/// One value of the cuff, or a pulse, as an OBX has it.
struct HL7Observation: Sendable {
    var code: HL7Code
    var value: HL7Field.Number
    var unit: HL7Unit
    /// What OBX-4 says.
    var place: HL7SubID
    /// OBX-14, or OBR-7 of its order.
    var time: DeviceTime?
    /// What OBX-8 and OBX-11 say of its worth.
    var flags: MeasurementFlags
    var standing: Reading.Reference.Standing
    /// OBR-2 of its order: the number given by the one who ordered the measurement.
    var placer: [UInt8]
    /// The number of the order (OBR) or patient (PID) it stands under.
    var order: Int
    /// The PID segment before it; empty without one.
    var patient: [UInt8]
    /// The parts of the segment that belong to the value and are the same in a repetition: OBX-2 to 6 and 14, or OBR-7 in its place. A running number
    /// in OBX-4 does not: it changes with what else the message holds.
    var record: [UInt8]
}

/// One determination of the cuff: the values of one group and time.
struct HL7Determination: Sendable {
    /// `nil` where it is withdrawn.
    var pressure: BloodPressure?
    var flags: MeasurementFlags
    var standing = Reading.Reference.Standing.result
    var placer: [UInt8] = []
    /// Its own time; `nil` where only the message has one.
    var time: DeviceTime?
    var group: [UInt8]
    /// The PID segment it stands under.
    var patient: [UInt8]
    /// Its segments, without those of other determinations.
    var record: [UInt8]
    /// Systolic, diastolic and mean as sent: what tells it from the one before where it has no time.
    var values: [HL7Field.Number]
    var isWhole: Bool

    /// The same patient, time of its own and values.
    func isSame(as other: HL7Determination) -> Bool {
        time != nil && time == other.time && patient == other.patient && values == other.values && standing == other.standing
    }
}

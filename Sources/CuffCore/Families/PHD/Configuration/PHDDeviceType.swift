/// Device specializations of IEEE 11073, with the standard configurations whose contents are in a public source. Agents send any other
/// configuration (AARE 3), which is always safe. Specialization codes (partition 8) and ranges of configuration ids:
/// folterj/IEEEAgentManager nomenclature.h. Not built in, for want of a public source of their contents: ECG 600, INR 1800, body
/// composition 2000, peak flow 2100, activity 4100, medication 7200, blood pressure 701. conqlima/Antidote has an own configuration as ECG
/// 600 and uses it as an extended one.
struct PHDDeviceType: Sendable {
    /// MDC_DEV_SPEC_PROFILE_…, partition 8.
    let profile: UInt16
    /// The number of its document: IEEE 11073-104zz.
    let document: Int
    let name: StaticString
    var configurations: [Configuration] = []

    struct Configuration: Sendable {
        let id: UInt16
        /// A session of a real device with it is known. Otherwise reports that do not fit make the manager request the configuration.
        let isRecorded: Bool
        let objects: [Numeric]
    }

    /// A numeric object of partition 2, with an absolute time stamp if it `hasTime`.
    struct Numeric: Sendable {
        let handle: UInt16
        let term: UInt16
        let spec: UInt16
        let unit: UInt16
        let value: (attribute: UInt16, length: UInt16)
        var hasTime = true
        var metrics: [UInt16] = []
    }

    private static let sfloat = (attribute: PHDAttribute.basicNumeric, length: UInt16(2))
    private static let float = (attribute: PHDAttribute.simpleNumeric, length: UInt16(4))
    /// Intermittent, stored data, aperiodic updates and measurements, initiated by the agent.
    private static let spot: UInt16 = 0xF040
    private static let stored: UInt16 = 0x4040

    static let all: [PHDDeviceType] = [
        PHDDeviceType(
            profile: 4100, document: 10404, name: "pulse oximeter",
            configurations: [
                // Two bytes in Antidote's pulse_oximeter.c, which nevertheless appends a time stamp.
                Configuration(
                    id: 0x0190, isRecorded: true,
                    objects: [
                        Numeric(handle: 1, term: 19384, spec: stored, unit: 544, value: sfloat, hasTime: false),
                        Numeric(handle: 10, term: 18458, spec: stored, unit: 2720, value: sfloat, hasTime: false),
                    ]),
                // The same two bytes in Antidote; the Nonin 9560 sends value and time: observed [D].
                Configuration(
                    id: 0x0191, isRecorded: true,
                    objects: [
                        Numeric(handle: 1, term: 19384, spec: stored, unit: 544, value: sfloat),
                        Numeric(handle: 10, term: 18458, spec: stored, unit: 2720, value: sfloat),
                    ]),
            ]),
        PHDDeviceType(profile: 4102, document: 10406, name: "basic ECG"),
        PHDDeviceType(
            profile: 4103, document: 10407, name: "blood pressure monitor",
            configurations: [
                // docs/PHD.md §4.3: handle 1 compound of systolic, diastolic, mean in mmHg; handle 2 pulse rate.
                Configuration(
                    id: 0x02BC, isRecorded: true,
                    objects: [
                        Numeric(
                            handle: 1, term: 18948, spec: spot, unit: 3872, value: (PHDAttribute.compoundBasicNumeric, 10),
                            metrics: [18949, 18950, 18951]),
                        Numeric(handle: 2, term: 18474, spec: spot, unit: 2720, value: sfloat),
                    ])
            ]),
        PHDDeviceType(
            profile: 4104, document: 10408, name: "thermometer",
            configurations: [
                // As in FSL_USB_Stack_v411 phd_device_spec.c under this number. conqlima/Antidote thermometer.c has a FLOAT of two bytes in
                // its map and sends four.
                Configuration(
                    id: 0x0320, isRecorded: false, objects: [Numeric(handle: 1, term: 19292, spec: spot, unit: 6048, value: float)])
            ]),
        PHDDeviceType(
            profile: 4111, document: 10415, name: "weighing scale",
            configurations: [
                // Accepted for A&D UC-321PBT-C; its values are FLOAT and absolute time: observed [D].
                Configuration(
                    id: 0x05DC, isRecorded: true, objects: [Numeric(handle: 1, term: 57664, spec: spot, unit: 1731, value: float)])
            ]),
        PHDDeviceType(
            profile: 4113, document: 10417, name: "glucose meter",
            configurations: [
                // Antidote's glucometer.c: two bytes in its map, though its own agent sends four.
                Configuration(
                    id: 0x06A4, isRecorded: false, objects: [Numeric(handle: 1, term: 29112, spec: spot, unit: 2130, value: sfloat)])
            ]),
        PHDDeviceType(profile: 4114, document: 10418, name: "INR monitor"),
        PHDDeviceType(profile: 4115, document: 10419, name: "insulin pump"),
        PHDDeviceType(profile: 4116, document: 10420, name: "body composition analyzer"),
        PHDDeviceType(profile: 4117, document: 10421, name: "peak expiratory flow monitor"),
        PHDDeviceType(profile: 4137, document: 10441, name: "cardiovascular fitness and activity monitor"),
        PHDDeviceType(profile: 4138, document: 10442, name: "strength fitness equipment"),
        PHDDeviceType(profile: 4167, document: 10471, name: "activity hub"),
        PHDDeviceType(profile: 4168, document: 10472, name: "medication monitor"),
        PHDDeviceType(profile: 4200, document: 10441, name: "step counter"),
    ]

    static func profile(_ code: UInt16) -> PHDDeviceType? { all.first { $0.profile == code } }

    static func configuration(_ id: UInt16) -> Configuration? {
        for type in all { if let found = type.configurations.first(where: { $0.id == id }) { return found } }
        return nil
    }
}

/// TaiDoc / Fora TD-31xx and combined meters such as the D40. Serial, 19200 8N1; memory on request.
///
/// Frame    `51` cmd d0 d1 d2 d3 `A3` sum   to the cuff; `A5` from it; sum of the first seven   documented [1], observed [2]
/// 22       hello; answered by 22, 24 or 54                                                             documented [1]
/// 24       model -> d0 d1: BCD, little-endian (77 42 = TD-4277)                                        documented [1]
/// 23 / 33  get / set clock -> date and time as in 25                                                   documented [1]
/// 2B       count: d0 user -> d0 d1 little-endian                                    documented [1]; user: observed [3]
/// 25       time of a record: d0 d1 index, 0 the newest, d3 user           documented [1], observed [4]; user: observed [3]
///   -> LE16: year-2000 (7 bits), month (4), day (5); minute bits 0…5; hour bits 0…4                    documented [1]
///      minute bit 7 blood pressure (on meters for more than one quantity), bit 6 arrhythmia            observed [3]
///      hour bits 5, 6 irregular heart beat, bit 7 average                                              observed [3]
/// 26       values of a record -> d0 SYS, d1 MAP, d2 DIA, d3 pulse             observed [2][3]; without d1: observed [4]
///          D40: SYS is LE16 in d0 d1, without MAP; 0 in SYS, or a pulse of 3 or less, is no result     observed [3]
/// 52       clears the memory, of all users                                                              documented [1]
///
/// Glucose meters use the same frames, so a record counts as a blood pressure only where the model is a TD-31xx or
/// the record's own bit 7 says so, and never on a TD-4xxx. The transports differ, the frames do not: the documented USB docks
/// are a CP2110 (hidraw, `CP2110Reports`), the cables a CP210x (tty). [4] reads a wrist cuff through a CP2110, switches its UART
/// on and sets no line: whatever the chip has is right there. It begins with 24, which a cuff that is off does not answer.
///
/// [1] glucometers-tech/glucometer-protocols src/taidoc/td42xx.md, glucometerutils   [2] andrew61/TransafeRx.iOS
/// [3] advmeds-service/advmeds-bluetooth-lib, YentingChia-Ultron/Ultron-esp32BLE (both over BLE)
/// [4] a public Python reader of an ION Health IH02, whose origin is not established
extension CuffDriver {
    /// The driver `taidoc`.
    public static let taiDoc = CuffDriver(
        id: "taidoc", models: ["TaiDoc TD-31xx", "Fora D40", "Fora P30 Plus", "ION Health IH02"],
        summary: "TaiDoc and Fora: the memory on request, record by record",
        grade: .a, testedOn: .derived,
        claims: [.shared(vendor: 0x10C4, product: 0xEA60), .shared(vendor: 0x10C4, product: 0xEA80)],
        line: LineSettings(rate: 19200), keepsBridgeLine: true,
        framing: "eight bytes: 51 cmd d0…d3 A3/A5 sum", check: "sum of the first seven bytes",
        capabilities: [.storedReadings, .users, .readClock, .setClock, .erase, .information],
        unverified: [
            "blood-pressure records over a CP210x cable: their readers use BLE or a CP2110, the cable is documented for glucose meters",
            "the line settings behind a CP2110: those that the chip has are kept",
            "what user 0 (asked when no user is named) means on a cuff with several users",
            "minute bit 7, hour bits 5 to 7 on other models than their readers name",
            "systolic pressures from 256 mmHg on: one reader sees their high byte where the others see the mean",
        ],
        notes: [
            "Docks with a CP2110 (10c4:ea80) are HID devices: assign them by their port or name the /dev/hidraw node. If the cuff does not "
                + "answer there although it is on, set its line: `--line \"19200 8N1\"`.",
            "52 clears all users at once: `clear` asks users 1 to 4 too, and clears only if they hold what was read for user 0 and nothing else.",
            "Starting a measurement (43) is not offered: how its result comes is not published.",
        ],
        sources: [
            "glucometers-tech/glucometer-protocols (td42xx.md), glucometerutils", "andrew61/TransafeRx.iOS",
            "advmeds-service/advmeds-bluetooth-lib", "YentingChia-Ultron/Ultron-esp32BLE",
            "a public Python reader of an ION Health IH02 over a CP2110, whose origin is not established",
        ],
        simulatorOptions: [
            "model": "its model number, four hexadecimal digits (3128)",
            "users": "what user 0 is: first, user 1; ignored, as every user the whole memory (the records of all users)",
        ],
        makeSession: { _ in TaiDocSession() },
        makeSimulator: { TaiDocSimulator($0) },
        findFrames: { FrameReader.find(TaiDocFrame(), in: $0) },
        decodeRecord: { record, stored in TaiDocRecord.reading(ofStored: record, user: stored.user) },
        redaction: .taiDoc)
}

enum TaiDocCommand: UInt8 {
    case hello = 0x22
    case clock = 0x23
    case model = 0x24
    case recordTime = 0x25
    case recordValues = 0x26
    case count = 0x2B
    case setClock = 0x33
    case clear = 0x52
    case communicate = 0x54
}

struct TaiDocFrame: FrameFormat {
    static let maximumLength = 8
    static let startByte: UInt8? = 0x51

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0x51 else { return .reject(.notAStart) }
        guard bytes.count >= 8 else { return .needMore }
        guard bytes[6] == 0xA3 || bytes[6] == 0xA5 else { return .reject(.notAStart) }
        return Checksum.sum8(bytes, 0..<7) == bytes[7] ? .frame(length: 8) : .reject(.badCheck)
    }

    static func encode(_ command: TaiDocCommand, _ data: [UInt8] = [0, 0, 0, 0], direction: UInt8 = 0xA3) -> [UInt8] {
        let frame = [0x51, command.rawValue] + (data + [0, 0, 0, 0]).prefix(4) + [direction]
        return frame + [frame.sum8]
    }
}

enum TaiDocRecord {
    static func clock(_ data: [UInt8]) -> DeviceClock {
        guard data.count == 4 else { return .impossible(nil) }
        let date = Int(data[0]) | Int(data[1]) << 8
        if date & 0x01FF == 0 { return .unset }
        return DeviceClock(
            DeviceTime(
                year: 2000 + date >> 9, month: date >> 5 & 15, day: date & 31, hour: Int(data[3] & 0x1F),
                minute: Int(data[2] & 0x3F)))
    }

    static func bytes(_ time: DeviceTime) -> [UInt8] {
        let date = (Int(time.year) - 2000) << 9 | Int(time.month) << 5 | Int(time.day)
        return [UInt8](littleEndian: [date]) + [time.minute, time.hour]
    }

    /// The reading of a stored record, which is known to be a blood pressure's.
    static func reading(ofStored record: [UInt8], user: Int32?) -> Reading? {
        guard record.count == 8,
            case .bloodPressure(let reading) = reading(
                time: Array(record[..<4]), values: Array(record[4...]), model: 0x3100, user: UInt8(clamping: user ?? 0))
        else { return nil }
        return reading
    }

    /// `other`: certainly not a blood pressure. `unreadable`: it may be one.
    enum Kind { case bloodPressure(Reading), other(StaticName), unreadable(StaticName) }

    /// A record from its two answers. `model` is the BCD number, 0 when unknown.
    static func reading(time: [UInt8], values: [UInt8], model: Int, user: UInt8) -> Kind {
        guard time.count == 4, values.count == 4 else { return .unreadable("a record in part") }
        if model >> 12 == 4 { return .other("a record of a glucose meter") }
        guard time[2] & 0x80 != 0 || model >> 8 == 0x31 else {
            return .other("a record not marked as a blood pressure")
        }
        // The high byte of a D40's systolic pressure, or a mean of 1: not a possible reading.
        guard values[1] != 1 else { return .unreadable("a record on which the sources contradict each other") }
        var flags: MeasurementFlags = []
        if time[2] & 0x40 != 0 || time[3] & 0x60 != 0 { flags.insert(.irregularPulse) }
        if time[3] & 0x80 != 0 { flags.insert(.averaged) }
        let (systolic, mean, diastolic, pulse) = (Int(values[0]), Int(values[1]), Int(values[2]), Int(values[3]))
        let content: Reading.Content =
            systolic == 0 || diastolic == 0 || pulse <= 3
            ? .failure(.init(.noValue)) : .bloodPressure(.mmHg(systolic, diastolic, mean: mean > 0 ? mean : nil, pulse: pulse))
        return .bloodPressure(
            Reading(
                content, driver: "taidoc", user: user == 0 ? nil : Int32(user), flags: flags, clock: clock(time),
                origin: .memory, raw: RawBytes(time + values)))
    }
}

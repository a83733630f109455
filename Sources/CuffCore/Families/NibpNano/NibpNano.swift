/// ADInstruments Human NIBP Nano (also Finapres Nano Core). Continuous finger cuff; 200 pressures a second and one packet
/// per beat.
/// Packet  `D4 len len D4 cmd data… CRC`   len = cmd and data; CRC-8/MAXIM over cmd and data          documented [1][2]
/// Host    `61` keep-alive, at least every 500 ms; `65 01` start, `65 02` stop; `76 00` hardware, `76 0A` application
///         version; `7A` zero, `68 x` PhysioCal, `63 x` cuff schedule: not used here                  documented [1]
/// Device  offsets from cmd, little endian                                                            documented [1]
///   62 beat, len 0F: +1 time, +4 systolic, +6 diastolic, +8 mean, +10 rate (tenths; up to 330 mmHg), +12 interval (ms)
///   64 data, len 0A: +1 time, +3 pressure and +5 height correction (signed tenths), +9 low four bits quality
///      The time counts the data packets, 200 a second, in 16 bits                                     observed [1]
///   73 status, len 10: +3 high four bits mode (0 starting, 1 idle, 3 measuring, 4 service, 7 bootloader, 15 error),
///      +4 low seven bits error, +5…8 warnings, +9 high three bits height unit, +10 cuff and minutes, +11 PhysioCal
///   76 version, len 82: +1 kind, then 128 bytes; hardware: +10 version, +30 serial number (ASCII);
///      application: +12 major, +13 minor, +14 patch                                                  documented [3]
/// Errors  39 pressure too high, 42 measured too long, 45 no keep-alive; 43 and 44 are about zeroing only    documented [4]
/// Warning bit 6 (no pulse) counts as an error, as in the vendor's program                            documented [1][4]
/// Before a measurement the device sends meaningless pressures beyond 330 mmHg                        documented [1]
/// Pressures are as measured at the finger, without the height correction.
/// The vendor's program computes the CRC and does not enforce it; this driver does.
/// [1] adinstruments/LightningDeviceSDK examples/devices/NIBPNano/{constants,nanoParser}.ts (BSD-3-Clause)
/// [2] utils.ts there (CRC)   [3] utils.ts there (version)   [4] public TypeScript lists of its error
/// codes and messages whose origin is not established
extension CuffDriver {
    /// The driver `nibp-nano`.
    public static let nibpNano = CuffDriver(
        id: "nibp-nano",
        models: ["ADInstruments Human NIBP Nano"],
        summary: "continuous finger cuff: live pressure at 200 Hz and a reading per heart beat",
        grade: .a, testedOn: .derived,
        claims: [.shared(vendor: 0x0403, product: 0x6001)],
        line: LineSettings(rate: 115_200),
        framing: "D4 length twice D4 command data CRC", check: "CRC-8/MAXIM",
        capabilities: [.push, .livePressure, .measure, .stop, .information, .continuous],
        unverified: ["offset 3 of the beat packet", "the height unit's state beyond its three bits"],
        notes: [
            "Every beat is a reading of its own: about 4000 an hour. Its interval is told as a `beat` line beside it.",
            "`measure` runs for `--option seconds=N` (60) after the first beat, or until it is stopped.",
        ],
        sources: [
            "adinstruments/LightningDeviceSDK examples/devices/NIBPNano (BSD-3-Clause)",
            "public TypeScript lists of its error codes and messages whose origin is not established",
        ],
        options: [
            "seconds": "how long `measure` goes on after the first beat; 60 if not given, at most 3600",
            "rate": "200: the simulator sends every pressure instead of every fifth",
        ],
        startCommands: [NibpNanoCommand.start],
        makeSession: { NibpNanoSession($0) },
        makeSimulator: { NibpNanoSimulator($0) },
        findFrames: { FrameReader.find(NibpNanoFrame(), in: $0) },
        redaction: .nibpNano)
}

enum NibpNanoCommand {
    static let keepAlive = NibpNanoFrame.encode([0x61])
    static let start = NibpNanoFrame.encode([0x65, 0x01])
    static let stop = NibpNanoFrame.encode([0x65, 0x02])
    static let hardware = NibpNanoFrame.encode([0x76, 0x00])
    static let application = NibpNanoFrame.encode([0x76, 0x0A])
}

struct NibpNanoFrame: FrameFormat {
    static let maximumField = 0x82
    static let maximumLength = maximumField + 5
    static let startByte: UInt8? = start
    static let start: UInt8 = 0xD4

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == Self.start else { return .reject(.notAStart) }
        guard bytes.count >= 4 else {
            let isWrong = bytes.count > 2 && bytes[1] != bytes[2] || bytes.count > 1 && !Self.isLength(bytes[1])
            return isWrong ? .reject(.badLength) : .needMore
        }
        guard Self.isLength(bytes[1]), bytes[1] == bytes[2], bytes[3] == Self.start else { return .reject(.badLength) }
        let length = Int(bytes[1])
        guard bytes.count >= length + 5 else { return .needMore }
        let check = Checksum.crc8Maxim(bytes, 4..<(length + 4))
        return bytes[length + 4] == check ? .frame(length: length + 5) : .reject(.badCheck)
    }

    private static func isLength(_ byte: UInt8) -> Bool { byte >= 1 && byte <= maximumField }

    static func encode(_ field: [UInt8]) -> [UInt8] {
        [start, UInt8(clamping: field.count), UInt8(clamping: field.count), start] + field
            + [Checksum.crc8Maxim(field.span, 0..<field.count)]
    }
}

/// Packets of a Nano, as bytes from the command without the CRC.
enum NibpNanoPacket {
    case beat(BloodPressure, interval: UInt16)
    case pressure(tenths: Int, count: UInt16)
    case status(mode: UInt8, error: UInt8, warnings: UInt32)
    case hardware(version: UInt16, serial: String)
    case application(String)

    init?(_ packet: Span<UInt8>) {
        switch (packet.byte(0), packet.count) {
        case (0x62, 0x0F):
            guard let systolic = packet.littleEndian16(4), let diastolic = packet.littleEndian16(6),
                let mean = packet.littleEndian16(8), let rate = packet.littleEndian16(10),
                let interval = packet.littleEndian16(12), Self.isBeat(systolic, mean, diastolic)
            else { return nil }
            self = .beat(
                BloodPressure(
                    systolic: .tenthsOfMmHg(Int(systolic)), diastolic: .tenthsOfMmHg(Int(diastolic)),
                    mean: mean > 0 ? .tenthsOfMmHg(Int(mean)) : nil,
                    pulse: rate > 0 ? PulseRate(Digits(mantissa: Int64(rate), exponent: -1)) : nil,
                    meanAbsence: mean > 0 ? .none : .notMeasured, pulseAbsence: rate > 0 ? .none : .notMeasured),
                interval: interval)
        case (0x64, 0x0A):
            guard let count = packet.littleEndian16(1), let pressure = packet.littleEndian16(3) else { return nil }
            self = .pressure(tenths: Int(Int16(bitPattern: pressure)), count: count)
        case (0x73, 0x10):
            guard let mode = packet.byte(3), let error = packet.byte(4), let warnings = packet.littleEndian32(5) else { return nil }
            self = .status(mode: mode >> 4, error: error & 0x7F, warnings: warnings)
        case (0x76, 0x82):
            switch packet.byte(1) {
            case 0x00?:
                guard let version = packet.littleEndian16(10) else { return nil }
                self = .hardware(version: version, serial: DeviceIdentity.text(packet.part(30, 100).prefix { $0 != 0 }))
            case 0x0A?:
                guard let major = packet.byte(12), let minor = packet.byte(13), let patch = packet.littleEndian16(14) else { return nil }
                self = .application("\(major).\(minor).\(patch)")
            default: return nil
            }
        default: return nil
        }
    }

    /// The vendor's range, with the mean inside. Of shifted packets, 200 a second on a bad line, a CRC of eight bits accepts one in 256.
    private static func isBeat(_ systolic: UInt16, _ mean: UInt16, _ diastolic: UInt16) -> Bool {
        diastolic > 0 && diastolic < systolic && systolic <= NibpNanoSession.maximumTenths
            && (mean == 0 || mean >= diastolic && mean <= systolic)
    }

    static func failure(error: UInt8) -> MeasurementFailure {
        let hardware: Set<UInt8> = Set(2...37).union([40, 41, 46])
        let others: [UInt8: FailureReason] = [39: .overPressure, 42: .timeout, 45: .signalLost]
        return MeasurementFailure(hardware.contains(error) ? .hardware : others[error] ?? .unknown, code: ShortText("\(error)"))
    }
}

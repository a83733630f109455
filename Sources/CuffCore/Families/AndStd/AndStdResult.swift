/// Decodes one A&D STD result frame, by the offsets of the 64-byte form or by tags in longer text.
enum AndStdResult {
    /// Whether a checked frame has the 64-byte form with fixed offsets.
    @inline(__always)
    static func isFixed(_ frame: Span<UInt8>) -> Bool {
        frame.count == 64 && frame[33] == 0x53 && frame[38] == 0x4D && frame[43] == 0x44 && frame[48] == 0x50
    }

    @inline(__always)
    static func reading(_ frame: Span<UInt8>, origin: Reading.Origin) -> Reading {
        result(
            frame, systolic: frame.paddedDigits(34, 3), mean: frame.paddedDigits(39, 3),
            diastolic: frame.paddedDigits(44, 3), pulse: frame.paddedDigits(49, 3), clock: clock(frame, 13),
            error: frame.byte(29) == 0x45 ? frame.digits(30, 2) : 0, flags: [], origin: origin)
    }

    @inline(__always)
    private static func result(
        _ frame: Span<UInt8>, systolic: Int?, mean: Int?, diastolic: Int?, pulse: Int?, clock: DeviceClock,
        error: Int?, flags: MeasurementFlags, origin: Reading.Origin
    ) -> Reading {
        let content: Reading.Content
        if let systolic, let diastolic, error == 0, systolic > 0, diastolic > 0 {
            // InBody writes an absent mean as 000; no cuff measures a pulse of 0.
            content = .bloodPressure(
                BloodPressure(
                    systolic: .mmHg(systolic), diastolic: .mmHg(diastolic),
                    mean: mean.flatMap { $0 > 0 ? .mmHg($0) : nil }, pulse: pulse.flatMap { $0 > 0 ? PulseRate($0) : nil },
                    pulseAbsence: pulse ?? 0 > 0 ? .none : .notMeasured))
        } else {
            content = .failure(Self.failure(error))
        }
        return Reading(content, driver: "and-std", flags: flags, clock: clock, origin: origin, raw: RawBytes(frame))
    }

    /// YYMMDDhhmm at `offset`; zeros mean that the clock was never set (InBody has none).
    @inline(__always)
    private static func clock(_ frame: Span<UInt8>, _ offset: Int) -> DeviceClock {
        guard let (year, month, day, hour) = frame.digitPairs(offset), let minute = frame.digits(offset + 8, 2)
        else { return .impossible(nil) }
        if month == 0 && day == 0 { return .absent }
        return DeviceClock(DeviceTime(year: 2000 + year, month: month, day: day, hour: hour, minute: minute))
    }

    /// The TM-2657P's newer text, record RB or RA: fields between RS, identified by their first letter; unknown tags are ignored.
    static func taggedReading(_ frame: Span<UInt8>, origin: Reading.Origin) -> Reading? {
        var systolic: Int?
        var diastolic: Int?
        var mean: Int?
        var pulse: Int?
        var error: Int? = 0
        var clock = DeviceClock.absent
        var flags: MeasurementFlags = []
        var isResult = false
        var start = 6
        while start < frame.count - 2 {
            let end = min(frame.firstOffset(of: AndStdFrame.rs, from: start) ?? frame.count - 2, frame.count - 2)
            let length = end - start
            if length == 2, frame.matches("RB", at: start) || frame.matches("RA", at: start) { isResult = true }
            if length == 10, !isResult, frame.digits(start + 1, 9) != nil { clock = Self.clock(frame, start) }
            if length > 0, isResult {
                let number = frame.paddedDigits(start + 1, length - 1)
                switch frame[start] {
                case 0x45 where length == 3: error = number
                // Exactly three characters: xor does not detect two equal characters added or lost.
                case 0x53 where length == 4: systolic = number
                case 0x4D where length == 4: mean = number
                case 0x44 where length == 4: diastolic = number
                case 0x50 where length == 4: pulse = number
                case 0x45, 0x53, 0x44, 0x50: return nil
                // M alone is the mode.
                case 0x4D where length > 1: return nil
                case 0x69 where number ?? 0 > 0: flags.insert(.irregularPulse)
                case 0x6D where number ?? 0 > 0: flags.insert(.bodyMovement)
                case 0x72 where number ?? 0 > 0: flags.insert(.remeasured)
                default: break
                }
            }
            start = end + 1
        }
        guard isResult, systolic != nil || error != 0 else { return nil }
        return result(
            frame, systolic: systolic, mean: mean, diastolic: diastolic, pulse: pulse, clock: clock, error: error,
            flags: flags, origin: origin)
    }

    /// The error table of the TM-2655P (documented [1]); an unreadable or unlisted code stays `unknown`.
    static func failure(_ code: Int?) -> MeasurementFailure {
        code.map { failures.failure($0, ShortText("E" + Decimal.text($0, 2))) } ?? MeasurementFailure(.unknown)
    }

    private static let failures: [Int: FailureReason] = [
        0: .noValue, 11: .noInflation, 12: .insufficientPressure, 13: .inflationTooFast, 15: .noInflation, 21: .deflationTooSlow,
        22: .deflationTooFast, 23: .overPressure, 24: .timeout, 42: .insufficientPressure, 43: .noPulse, 44: .movement,
        45: .diastolicNotFound, 46: .meanNotFound, 48: .systolicNotFound, 61: .pulseNotFound, 63: .outOfRange,
    ]
}

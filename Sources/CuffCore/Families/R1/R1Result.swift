extension R1Session {
    static func message(_ frame: Span<UInt8>, origin: Reading.Origin) -> R1Message {
        var body = frame.part(1, frame.count - 3)
        if body.count == 1 {
            return body[0] == R1Frame.eot ? .endOfTransfer : .control
        }
        let endsWithEOT = body.contains(R1Frame.eot)
        body.removeAll { $0 == R1Frame.eot }
        let fields = body.split(separator: 0x2C, omittingEmptySubsequences: false).map(Array.init)
        guard let record = R1Record(fields) ?? R1Record(slashed: fields) else {
            return body.isEmpty ? .endOfTransfer : .text(body)
        }
        guard let content = record.content else { return endsWithEOT ? .endOfTransfer : .nothingStored }
        return .result(
            Reading(content, driver: "r1", clock: record.clock, origin: origin, raw: RawBytes(frame)),
            endsWithEOT: endsWithEOT)
    }
}

/// The documented fields of a result.
struct R1Record {
    var systolic, mean, diastolic, pulse: Int
    var clock: DeviceClock

    /// `R1,id,YYMMDD,HHMMSS,SSS,MMM,DDD,PPP,…`
    init?(_ fields: [[UInt8]]) {
        guard fields.count >= 12, fields[0] == [0x52, 0x31], fields[1].count == 9,
            let date = Self.numbers(fields[2], widths: 3, separator: nil), let time = Self.numbers(fields[3], widths: 3, separator: nil),
            let values = Self.values(fields[4...7]), fields[8...].allSatisfy(Self.isNumber)
        else { return nil }
        (systolic, mean, diastolic, pulse) = (values[0], values[1], values[2], values[3])
        clock = Self.clock(DeviceTime(year: 2000 + date[0], month: date[1], day: date[2], hour: time[0], minute: time[1], second: time[2]))
    }

    /// `id(4),YY/MM/DD,HH/MM,SSS,MMM,DDD,PPP,…`
    init?(slashed fields: [[UInt8]]) {
        guard fields.count >= 7, fields[0].count == 4, Self.isNumber(fields[0]),
            let date = Self.numbers(fields[1], widths: 3, separator: 0x2F), let time = Self.numbers(fields[2], widths: 2, separator: 0x2F),
            let values = Self.values(fields[3...6])
        else { return nil }
        (systolic, mean, diastolic, pulse) = (values[0], values[1], values[2], values[3])
        clock = Self.clock(DeviceTime(year: 2000 + date[0], month: date[1], day: date[2], hour: time[0], minute: time[1]))
    }

    /// `nil`: nothing is stored.
    var content: Reading.Content? {
        if systolic == 0, mean == 0, diastolic == 0, pulse == 0 { return nil }
        return .mmHg(systolic, diastolic, meanOrZero: mean, pulseOrZero: pulse)
    }

    /// The first moment of a two-digit year means a clock that does not run.
    private static func clock(_ time: DeviceTime) -> DeviceClock {
        let isFirstMoment = time.wallSeconds == DeviceTime(year: 2000, month: 1, day: 1).wallSeconds
        return time.month == 0 && time.day == 0 || isFirstMoment ? .unset : DeviceClock(time)
    }

    private static func values(_ fields: ArraySlice<[UInt8]>) -> [Int]? {
        let values = fields.compactMap { $0.count == 3 ? $0.span.digits(0, 3) : nil }
        return values.count == 4 ? values : nil
    }

    private static func numbers(_ field: [UInt8], widths count: Int, separator: UInt8?) -> [Int]? {
        let step = separator == nil ? 2 : 3
        guard field.count == step * count - (step - 2) else { return nil }
        var numbers: [Int] = []
        for index in 0..<count {
            guard let number = field.span.digits(index * step, 2) else { return nil }
            if let separator, index > 0, field[index * step - 1] != separator { return nil }
            numbers.append(number)
        }
        return numbers
    }

    private static func isNumber(_ field: [UInt8]) -> Bool { !field.isEmpty && field.allSatisfy { $0 &- 0x30 < 10 } }
}

/// Frames of boards that collect the eighth bits of their data in a head byte (iBio, Leyutek PCT).
/// identifier, head, data…, check. The identifier is below 80; every later byte has bit 7 set. Bit i of the head is bit 7 of the i-th
/// byte behind it. The check is the sum of all bytes before it mod 128, with bit 7 set. A frame without data is identifier and
/// check alone. A byte below 80 within a frame begins the next one.                            documented (nine programs agree)
struct PackedFrame: FrameFormat {
    static let maximumLength = 10
    /// The frame length of each identifier; other identifiers are noise.
    let lengths: @Sendable (UInt8) -> Int?

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard let length = lengths(bytes[0]) else { return .reject(.notAStart) }
        for index in 1..<max(1, min(length, bytes.count)) where bytes[index] < 0x80 { return .reject(.badCharacter) }
        guard bytes.count >= length else { return .needMore }
        return Checksum.sum8(bytes, 0..<(length - 1)) | 0x80 == bytes[length - 1] ? .frame(length: length) : .reject(.badCheck)
    }

    /// The bytes behind the head, restored; in a Leyutek frame the first is the second identifier.
    static func data(_ frame: [UInt8]) -> [UInt8] {
        guard frame.count > 3 else { return [] }
        return frame[2..<(frame.count - 1)].enumerated().map { $1 & 0x7F | (frame[1] >> UInt8($0) & 1) << 7 }
    }

    static func encode(_ identifier: UInt8, _ data: [UInt8] = []) -> [UInt8] {
        var head: UInt8 = 0x80
        for (index, byte) in data.enumerated() { head |= (byte >> 7) << UInt8(index) }
        let counted = [identifier] + (data.isEmpty ? [] : [head]) + data.map { $0 | 0x80 }
        return counted + [counted.sum8 | 0x80]
    }
}

struct PackedResults: Sendable {
    enum Kind: UInt8 { case pressure, end, pressures, pulse, status }

    private static let absent: Int16 = -100
    private static let errors: [FailureReason] = [
        .unknown, .cuffLoose, .leak, .hardware, .weakPulse, .outOfRange, .movement, .overPressure, .saturated, .leak, .hardware, .timeout,
    ]

    /// Where the boards' own programs stop: adult, child, neonate.
    private static let highest = [330, 264, 165]

    private(set) var highestPressure = highest[0]
    /// The last measurement has given no result yet. A result requested earlier may be an old one.
    private var isAwaiting = false
    private var isFailed = false
    private var waiting: (data: [UInt8], raw: [UInt8])?

    mutating func read(_ kind: Kind, _ data: [UInt8], raw: [UInt8]) -> [BoardMessage] {
        let bytes = data.span
        func value(_ offset: Int) -> Int? {
            bytes.bigEndian16(offset).map { Int16(bitPattern: $0) }.flatMap { $0 == Self.absent ? nil : Int($0) }
        }
        switch kind {
        case .pressure:
            let former = takeWaiting().map { [$0] } ?? []
            return former + [value(0).map { .pressure(.mmHg($0)) } ?? .otherModule]
        case .end:
            let former = takeWaiting().map { [$0] } ?? []
            isFailed = bytes.byte(0) == 10
            isAwaiting = (1...3).contains(bytes.byte(0) ?? 0)
            return former + [.ended(isFailed: isFailed)]
        case .pressures:
            guard isAwaiting else { return [.otherModule] }
            isAwaiting = false
            guard value(0) ?? 0 > 0, value(2) ?? 0 > 0 else { return [.result(.failure(.init(.noValue)), [], raw: raw)] }
            waiting = (data, raw)
            return [.otherModule]
        case .pulse:
            guard let waiting else { return [.otherModule] }
            self.waiting = nil
            return [Self.result(waiting.data, pulse: value(0) ?? 0, raw: waiting.raw + raw)]
        case .status:
            let patient = Int(bytes.byte(0) ?? 0) >> 4 & 3
            if patient < Self.highest.count { highestPressure = Self.highest[patient] }
            guard isFailed, let code = bytes.byte(2), code > 0 else { return [.otherModule] }
            isFailed = false
            let reason = Int(code) < Self.errors.count ? Self.errors[Int(code)] : .unknown
            return [.result(.failure(.init(reason, code: ShortText(String(code)))), [], raw: raw)]
        }
    }

    /// A reading whose pulse does not come.
    mutating func takeWaiting() -> BoardMessage? {
        defer { waiting = nil }
        return waiting.map { Self.result($0.data, pulse: nil, raw: $0.raw) }
    }

    /// `pulse` is 0 if the board has none, and `nil` if its frame did not come.
    private static func result(_ data: [UInt8], pulse: Int?, raw: [UInt8]) -> BoardMessage {
        func value(_ offset: Int) -> Int { data.span.bigEndian16(offset).map { Int(Int16(bitPattern: $0)) } ?? 0 }
        let mean = value(4) == Int(absent) ? 0 : value(4)
        var pressure = BloodPressure.mmHg(value(0), value(2), meanOrZero: mean, pulseOrZero: pulse ?? 0)
        if pulse == nil { pressure.pulseAbsence = .none }
        return .result(.bloodPressure(pressure), [], raw: raw)
    }
}

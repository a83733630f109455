/// What the bytes of an unknown device show by themselves: a draft of a driver's sheet, to be sent with the recording. Each statement is a
/// guess, with the number of frames that support it. Nothing is decoded with it.
package struct RecordingDraft: Sendable {
    package struct Observation: Sendable, Hashable {
        /// What it is about: `line`, `framing`, `check`, `field`…
        package var name: String
        package var text: String
    }

    /// The lines of the draft in their order.
    package private(set) var observations: [Observation] = []
    private let frames: [ArraySlice<UInt8>]

    /// Bytes that are looked at; a recording of an unknown device needs no more.
    private static let mostBytes = 4096

    /// Looks at a recording; `line` is the setting with which it was made, if known.
    package init(_ items: [CaptureItem], line: String? = nil) {
        var heard: [UInt8] = []
        var questions: [[UInt8]] = []
        var faults: [CaptureEvent: Int] = [:]
        for item in items {
            switch item.content {
            case .fromCuff(let bytes): heard += bytes
            case .toCuff(let bytes): if !questions.contains(bytes) { questions.append(bytes) }
            case .event(let event): faults[event, default: 0] += 1
            }
        }
        let framing = Framing.best(Array(heard.prefix(Self.mostBytes)))
        frames = framing?.frames ?? []
        note("bytes", "\(heard.count) from the device, \(questions.count) different questions of the host")
        noteLine(heard, line, faults)
        for question in questions.prefix(16) { note("question", Hex.text(question.prefix(32))) }
        guard let framing else {
            note("framing", "none found: no start byte, length or line end recurs")
            return
        }
        note("framing", framing.text + ", \(frames.count) frames, \(framing.covered) of \(min(heard.count, Self.mostBytes)) bytes")
        noteChecks()
        for (length, group) in Dictionary(grouping: frames.map { Array($0) }, by: \.count).sorted(by: { $0.key < $1.key }).prefix(8) {
            note("frames", "\(group.count) of \(length) bytes, e.g. \(Hex.text(group[0].prefix(32)))")
            if Set(group).count > 1 { noteFields(Array(Set(group)), inOrder: group) }
        }
    }

    private mutating func note(_ name: String, _ text: String) { observations.append(Observation(name: name, text: text)) }

    // MARK: The line

    private mutating func noteLine(_ bytes: [UInt8], _ line: String?, _ faults: [CaptureEvent: Int]) {
        let recorded = line.map { "recorded at \($0)" } ?? "the recording does not name its settings"
        let broken = (faults[.framingError] ?? 0) + (faults[.parityError] ?? 0) + (faults[.lineBreak] ?? 0)
        // A character that is sampled too fast is a run of zeros and a run of ones.
        let runs = bytes.count { [0x00, 0x80, 0xC0, 0xE0, 0xF0, 0xF8, 0xFC, 0xFE, 0xFF].contains($0) }
        if broken > 0 {
            note("line", "\(recorded); \(broken) framing or parity errors, so rate or format are probably others")
        } else if bytes.count >= 16, 2 * runs > bytes.count {
            note("line", "\(recorded); most bytes are runs of equal bits, so the rate is probably lower")
        } else {
            note("line", "\(recorded); no framing error was recorded")
        }
        if !bytes.isEmpty, bytes.allSatisfy({ $0 < 0x80 }) { note("line", "no byte has bit 7 set: text, or seven data bits") }
    }

    // MARK: Checks

    private static let checks: [(name: String, of: @Sendable (Span<UInt8>, Range<Int>) -> UInt8)] = [
        ("sum", Checksum.sum8), ("sum that makes zero", Checksum.twosComplement8), ("complement of the sum", Checksum.onesComplement8),
        ("xor", Checksum.xor8), ("CRC-8/MAXIM", Checksum.crc8Maxim), ("CRC-8, polynomial 85", Checksum.crc8Dinamap),
    ]

    private mutating func noteChecks() {
        let different = Array(Set(frames.map { Array($0) })).filter { $0.count > 3 }
        guard different.count > 1 else { return note("check", "two different frames at least are needed to look for one") }
        var found = false
        for check in Self.checks {
            for start in 0...1 {
                for hasDigits in [false, true] {
                    let holds = different.count { frame in
                        var end = frame.count
                        while end > 3, [0x0D, 0x0A].contains(frame[end - 1]) { end -= 1 }
                        let place = end - (hasDigits ? 2 : 1)
                        guard place > start + 1 else { return false }
                        let value = check.of(frame.span, start..<place)
                        return hasDigits ? frame.span.hexDigits(place, 2) == Int(value) : frame[place] == value
                    }
                    // Of all frames but one, which may be damaged.
                    guard holds > 1, holds >= different.count - 1 else { continue }
                    let form = hasDigits ? "two hexadecimal digits at the end" : "the last byte"
                    note("check", "\(form): \(check.name) from byte \(start) on, in \(holds) of \(different.count) different frames")
                    found = true
                }
            }
        }
        if !found { note("check", "none of those tried: sums, xor, CRC-8; of one or two characters at the end") }
    }

    // MARK: Fields

    private mutating func noteFields(_ frames: [[UInt8]], inOrder: [[UInt8]]) {
        let length = frames[0].count
        for index in 0..<length {
            let values = inOrder.map { $0[index] }
            let steps = zip(values, values.dropFirst())
            let counting = steps.count { $1 == $0 &+ 1 }
            if counting > 2, counting * 5 >= (values.count - 1) * 4 { note("field", "byte \(index) counts up, \(counting) times") }
            if let date = Self.date(at: index, in: frames) { note("field", "bytes \(index) on look like a date: \(date)") }
        }
        let varying = (1..<max(1, length - 1)).filter { index in Set(frames.map { $0[index] }).count > 1 }
        var pairs: [String] = []
        for systolic in varying {
            for diastolic in varying where diastolic != systolic {
                let isPair = frames.allSatisfy { frame in
                    let (high, low) = (Int(frame[systolic]), Int(frame[diastolic]))
                    return 80...220 ~= high && 40...130 ~= low && 15...120 ~= high - low
                }
                if isPair { pairs.append("\(systolic) and \(diastolic)") }
            }
        }
        if !pairs.isEmpty, pairs.count <= 6 {
            note("field", "may be systolic and diastolic, by their size alone: bytes \(pairs.joined(separator: "; "))")
        }
    }

    /// Year, month and day as bytes, as BCD, or as digits, in every frame.
    private static func date(at index: Int, in frames: [[UInt8]]) -> String? {
        let forms: [(name: String, width: Int, number: (Span<UInt8>, Int) -> Int?)] = [
            ("year - 2000, month, day as bytes", 1, { bytes, at in bytes.byte(at).map { Int($0) } }),
            ("BCD", 1, { bytes, at in bytes.bcd(at) }),
            ("digits", 2, { bytes, at in bytes.digits(at, 2) }),
        ]
        for form in forms {
            let isDate = frames.allSatisfy { frame in
                let bytes = frame.span
                guard let year = form.number(bytes, index), let month = form.number(bytes, index + form.width),
                    let day = form.number(bytes, index + 2 * form.width)
                else { return false }
                return 5...60 ~= year && 1...12 ~= month && 1...31 ~= day
            }
            // Of a few frames chance gives many.
            if isDate, frames.count > 2 { return form.name }
        }
        return nil
    }
}

extension RecordingDraft {
    /// How the bytes may be cut into frames.
    struct Framing {
        var text: String
        var frames: [ArraySlice<UInt8>]
        var covered: Int { frames.reduce(0) { $0 + $1.count } }

        /// The one that covers most bytes: lines, a length after a start byte, one length for all. At least three frames and half of the bytes.
        static func best(_ bytes: [UInt8]) -> Framing? {
            var found = lines(bytes).map { [$0] } ?? []
            var counts = [Int](repeating: 0, count: 256)
            for byte in bytes { counts[Int(byte)] += 1 }
            for start in UInt8.min...UInt8.max where counts[Int(start)] > 2 {
                for place in 1...4 {
                    for more in -2...8 {
                        let name =
                            "start \(Hex.text([start])), length in byte \(place)\(more == 0 ? "" : more > 0 ? " + \(more)" : " - \(-more)")"
                        let framing = chain(bytes, start, name) { $0 + place < bytes.count ? Int(bytes[$0 + place]) + more : 0 }
                        // One length that fits everywhere is no length field.
                        if Set(framing.frames.map(\.count)).count > 1 { found.append(framing) }
                    }
                }
                for length in 4...64 { found.append(chain(bytes, start, "start \(Hex.text([start])), \(length) bytes") { _ in length }) }
            }
            let whole = found.filter { $0.frames.count > 2 && 2 * $0.covered > bytes.count }
            // Of equal ones the first that was found: a line, then a length field, then the shortest fixed length.
            return whole.enumerated().max { ($0.element.covered, -$0.offset) < ($1.element.covered, -$1.offset) }?.element
        }

        /// Text whose lines end in CR, LF or both.
        private static func lines(_ bytes: [UInt8]) -> Framing? {
            var frames: [ArraySlice<UInt8>] = []
            var start = 0
            for index in bytes.indices
            where bytes[index] == 0x0A || bytes[index] == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A) {
                if index > start { frames.append(bytes[start...index]) }
                start = index + 1
            }
            let isText = bytes.count { 0x20...0x7E ~= $0 || $0 == 0x0D || $0 == 0x0A } * 10 >= bytes.count * 9
            return isText ? Framing(text: "lines of text", frames: frames) : nil
        }

        /// Frames that begin with `start` and are followed by another `start`, or by the end.
        private static func chain(_ bytes: [UInt8], _ start: UInt8, _ text: String, length: (Int) -> Int) -> Framing {
            var frames: [ArraySlice<UInt8>] = []
            var index = 0
            while index < bytes.count {
                let end = index + (bytes[index] == start ? length(index) : 0)
                if end > index + 2, end == bytes.count || end < bytes.count && bytes[end] == start {
                    frames.append(bytes[index..<end])
                    index = end
                } else {
                    index += 1
                }
            }
            return Framing(text: text, frames: frames)
        }
    }
}

import CuffCore
import Testing

@Suite struct RecordingDraftTests {
    private func draft(_ frames: [[UInt8]], _ more: [CaptureItem] = []) -> [String] {
        RecordingDraft(frames.map { CaptureItem(.fromCuff($0)) } + more).observations.map { "\($0.name): \($0.text)" }
    }

    /// Start, length, a counter, three numbers, a date, the sum of all before: what the draft has to find, and with what support.
    private static let frames: [[UInt8]] = (UInt8(0)..<6).map { index in
        let body: [UInt8] = [0x7E, 0x0A, 0x10 + index, 118 + 3 * index, 71 + index, 61, 26, 5, 6 + index]
        return body + [body.reduce(0, &+)]
    }

    @Test func lengthSumCounterPressuresAndDate_AreFound() {
        let lines = draft(Self.frames)
        #expect(lines.contains("bytes: 60 from the device, 0 different questions of the host"))
        #expect(lines.contains { $0.hasPrefix("framing: start 7e, 10 bytes, 6 frames, 60 of 60 bytes") }, "\(lines)")
        #expect(lines.contains("check: the last byte: sum from byte 0 on, in 6 of 6 different frames"), "\(lines)")
        #expect(lines.contains("field: byte 2 counts up, 5 times"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("field: may be systolic and diastolic") && $0.contains("3 and 4") }, "\(lines)")
        #expect(lines.contains("field: bytes 6 on look like a date: year - 2000, month, day as bytes"), "\(lines)")
    }

    @Test func framesOfSeveralLengths_ShowTheirLengthByte() {
        let frames: [[UInt8]] = (0..<9).map { index in
            let data = (0..<index % 3 + 2).map { UInt8(0x31 + 7 * $0 + index) }
            let body: [UInt8] = [0xAA, UInt8(3 + index % 3)] + data
            return body + [body.reduce(0, ^)]
        }
        let lines = draft(frames)
        #expect(lines.contains { $0.hasPrefix("framing: start aa, length in byte 1 + 2, 9 frames") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("check: the last byte: xor from byte 0 on, in 9 of 9") }, "\(lines)")
    }

    @Test func linesOfText_AreLines() {
        let lines = draft(["S=120 D=080 P=071\r\n", "S=131 D=085 P=066\r\n", "S=118 D=077 P=070\r\n"].map { Array($0.utf8) })
        #expect(lines.contains { $0.hasPrefix("framing: lines of text, 3 frames, 57 of 57 bytes") }, "\(lines)")
        #expect(lines.contains("line: no byte has bit 7 set: text, or seven data bits"))
        #expect(lines.contains { $0.hasPrefix("check: none of those tried") })
    }

    @Test func errorsOfTheLine_AreCounted() {
        let lines = draft(Self.frames, [CaptureItem(.event(.framingError)), CaptureItem(.event(.parityError))])
        #expect(lines.contains { $0.hasPrefix("line: ") && $0.contains("2 framing or parity errors") }, "\(lines)")
        #expect(draft(Self.frames).contains { $0.hasPrefix("line: ") && $0.hasSuffix("no framing error was recorded") })
        // 9600 bit/s sampled at 115200: runs of equal bits.
        let fast = draft([[UInt8]](repeating: [0x00, 0xFE, 0xF0, 0x00, 0x80, 0xFF], count: 5))
        #expect(fast.contains { $0.hasSuffix("the rate is probably lower") }, "\(fast)")
    }

    @Test func noise_HasNoFramesAndNoCheck() {
        var random = SplitMix64(seed: 5)
        let lines = draft([(0..<600).map { _ in UInt8(truncatingIfNeeded: random.next()) }])
        #expect(lines.contains { $0.hasPrefix("framing: none found") } && !lines.contains { $0.hasPrefix("field: ") }, "\(lines)")
        #expect(!draft([]).isEmpty)
    }

    /// Recordings of known families: start, length and check are those of their documents.
    @Test(arguments: [
        ("taidoc/two-records", "start 51, 8 bytes, 7 frames", "sum from byte 0 on, in 7 of 7"),
        ("creative-pc300/measure-with-live-pressure", "start aa, length in byte 3 + 4, 8 frames", "CRC-8/MAXIM from byte 0 on, in 8 of 8"),
    ]) func knownFamilies_AreDraftedRight(_ name: String, _ framing: String, _ check: String) throws {
        let file = try #require(CaptureFile.own.first { $0.testDescription == name })
        let lines = RecordingDraft(file.items).observations.map { "\($0.name): \($0.text)" }
        #expect(lines.contains { $0.hasPrefix("framing: \(framing)") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("check: the last byte: \(check)") }, "\(lines)")
    }
}

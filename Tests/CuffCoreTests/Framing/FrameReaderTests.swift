import CuffCore
import Testing

/// `A5 n …n bytes… sum`: small, fictional, and with every possible fault of a format.
private struct ToyFrame: FrameFormat {
    static let maximumLength = 10
    static let startByte: UInt8? = 0xA5
    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0xA5 else { return .reject(.notAStart) }
        guard let length = bytes.byte(1) else { return .needMore }
        guard length <= 7 else { return .reject(.badLength) }
        let total = Int(length) + 3
        guard bytes.count >= total else { return .needMore }
        return Checksum.sum8(bytes, 0..<(total - 1)) == bytes[total - 1] ? .frame(length: total) : .reject(.badCheck)
    }
    static func encode(_ payload: [UInt8]) -> [UInt8] {
        let body = [0xA5, UInt8(payload.count)] + payload
        return body + [body.sum8]
    }
}

/// Has no start byte and never ends.
private struct EndlessFrame: FrameFormat {
    static let maximumLength = 4
    func verdict(on bytes: Span<UInt8>) -> FrameVerdict { .needMore }
}

/// Ends with a full stop, whatever came before: a format that ignores its own limit.
private struct Sentence: FrameFormat {
    static let maximumLength = 4
    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        for index in bytes.indices where bytes[index] == 0x2E { return .frame(length: index + 1) }
        return .needMore
    }
}

/// `5A nn nn …`, up to 5000 bytes, and a frame only if another or nothing follows, like an IEEE 11073 APDU.
private struct LongFrame: FrameFormat {
    static let maximumLength = 5000
    static let startByte: UInt8? = 0x5A
    func verdict(on bytes: Span<UInt8>) -> FrameVerdict {
        guard bytes[0] == 0x5A else { return .reject(.notAStart) }
        guard let length = bytes.bigEndian16(1) else { return .needMore }
        guard length >= 3, length <= Self.maximumLength else { return .reject(.badLength) }
        guard bytes.count >= length else { return .needMore }
        return bytes.byte(Int(length)) ?? 0x5A == 0x5A ? .frame(length: Int(length)) : .reject(.badCheck)
    }
    static func encode(_ length: Int) -> [UInt8] {
        [0x5A, UInt8(length >> 8), UInt8(length & 0xFF)] + [UInt8](repeating: 1, count: length - 3)
    }
}

@Suite struct FrameReaderTests {
    /// Frames of one reader, in two chunks.
    private func lengths(_ stream: [UInt8], cutAt cut: Int) -> (frames: [Int], skipped: Int) {
        var reader = FrameReader(LongFrame())
        var frames: [Int] = []
        for part in [Array(stream[..<cut]), Array(stream[cut...])] {
            reader.feed(part)
            while let step = reader.next() { if case .frame(let range) = step { frames.append(range.count) } }
        }
        _ = reader.finish()
        return (frames, reader.skippedBytes)
    }

    /// Of a chunk after an unfinished frame only the beginning is copied at first, and more for a long frame.
    @Test(arguments: [3, 100, 511, 512, 513, 600, 2047, 2048, 2049, 4999, 5000])
    func aLongFrameAcrossChunks_IsFoundWhole(_ length: Int) {
        let stream = LongFrame.encode(length) + LongFrame.encode(40) + LongFrame.encode(length) + LongFrame.encode(7)
        for cut in Array(stride(from: 1, to: length, by: 37)) + [length - 1, length, length + 1, length + 39] {
            let read = lengths(stream, cutAt: cut)
            #expect(read.frames == [length, 40, length, 7], "\(length) cut at \(cut)")
            #expect(read.skipped == 0)
        }
    }

    @Test func whatFollowsAFrame_IsLookedAt_WhereverTheCopyEnds() {
        let stream = LongFrame.encode(600) + [0x00] + [UInt8](repeating: 2, count: 3000) + LongFrame.encode(9)
        for cut in 1..<600 {
            let read = lengths(stream, cutAt: cut)
            #expect(read.frames == [9], "cut at \(cut)")
            #expect(read.skipped == 3601)
        }
    }

    @Test func frameBeyondTheLimit_IsNone_HoweverItIsCut() {
        let stream = Array("ab.abcdef.ghi.".utf8)
        for size in 1...stream.count {
            var reader = FrameReader(Sentence())
            var said: [String] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                reader.feed(Array(stream[start..<min(start + size, stream.count)]))
                while let step = reader.next() {
                    switch step {
                    case .frame(let range): said.append(String(decoding: reader.buffer[range], as: UTF8.self))
                    case .skipped(let count, let fault): said.append("\(count) \(fault)")
                    }
                }
            }
            #expect(said == ["ab.", "3 tooLong", "def.", "ghi."], "cut every \(size)")
        }
    }

    private func steps(_ stream: [UInt8], cutEvery size: Int) -> [String] {
        var reader = FrameReader(ToyFrame())
        var said: [String] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            reader.feed(Array(stream[start..<min(start + size, stream.count)]))
            while let step = reader.next() { said.append(word(step, reader.buffer)) }
        }
        while let step = reader.finish() { said.append(word(step, reader.buffer)) }
        return said
    }

    /// The false start's length reaches beyond the end.
    @Test func atTheEnd_AFrameBehindAFalseStart_IsFound() {
        let frame = ToyFrame.encode([3])
        for size in 1...7 {
            #expect(steps([0xA5, 7] + frame, cutEvery: size) == ["skipped 2 incomplete", "frame 03"])
            #expect(steps([0xA5, 7] + frame + [0xA5], cutEvery: size) == ["skipped 2 incomplete", "frame 03", "skipped 1 incomplete"])
        }
        // The work at the end has a limit.
        for (starts, isFound) in [(100, true), (200, false)] {
            var reader = FrameReader(LongFrame())
            reader.feed([[UInt8]](repeating: [0x5A, 0x13, 0x88], count: starts).flatMap { $0 } + LongFrame.encode(8))
            #expect(reader.next() == nil)
            #expect(reader.finish() == .skipped(3 * starts + (isFound ? 0 : 8), .incomplete))
            #expect((reader.finish() != nil) == isFound && reader.finish() == nil)
        }
    }

    private func word(_ step: FrameStep, _ buffer: [UInt8]) -> String {
        switch step {
        case .frame(let range): "frame " + Hex.text(buffer[range].dropFirst(2).dropLast())
        case .skipped(let count, let fault): "skipped \(count) \(fault)"
        }
    }

    @Test func damagedStream_SaysTheSame_HoweverItIsCut() {
        var broken = ToyFrame.encode([1, 2, 3])
        broken[3] ^= 0x40
        let stream =
            [0x00, 0x11] + ToyFrame.encode([9]) + broken + [0xA5] + ToyFrame.encode([0xA5, 7]) + [0xA5, 0x99]
            + ToyFrame.encode([]) + [0xA5, 3, 1]
        let whole = steps(stream, cutEvery: stream.count)
        #expect(
            whole == [
                "skipped 2 notAStart", "frame 09", "skipped 7 badCheck", "frame a5 07", "skipped 2 badLength", "frame ",
                "skipped 3 incomplete",
            ])
        for size in 1..<stream.count { #expect(steps(stream, cutEvery: size) == whole, "cut every \(size)") }
    }

    @Test func aFrameAcrossALongChunk_IsFound() {
        let frame = ToyFrame.encode([1, 2, 3, 4, 5, 6, 7])
        let stream = (0..<200).flatMap { _ in frame }
        for cut in 1..<frame.count {
            var reader = FrameReader(ToyFrame())
            var found = 0
            for part in [Array(stream[..<cut]), Array(stream[cut...])] {
                reader.feed(part)
                while let step = reader.next() { if case .frame = step { found += 1 } }
            }
            #expect(found == 200, "cut at \(cut)")
            #expect(reader.skippedBytes == 0)
        }
    }

    @Test func anEndlessFrame_IsRefused_NotCollected() {
        var reader = FrameReader(EndlessFrame())
        for _ in 0..<100 {
            reader.feed([1, 2, 3])
            while reader.next() != nil {}
            #expect(reader.waiting < EndlessFrame.maximumLength)
        }
    }

    @Test func discard_ForgetsWhatWaits() {
        var reader = FrameReader(ToyFrame())
        reader.feed([0xA5, 5, 1])
        #expect(reader.next() == nil)
        #expect(reader.discard() == 3)
        reader.feed(ToyFrame.encode([4]))
        #expect(reader.next() == .frame(0..<4))
    }

    @Test func discard_AfterAGap_TakesTheFrameBehindIt() {
        for ends in [true, false] {
            var reader = FrameReader(ToyFrame())
            reader.feed([1, 2] + ToyFrame.encode([3]))
            #expect(reader.next() == .skipped(2, .notAStart))
            #expect(reader.frames == 0 && reader.waiting == 4)
            if ends { #expect(reader.finish() == .frame(2..<6) && reader.finish() == nil) } else { #expect(reader.discard() == 4) }
            reader.feed(ToyFrame.encode([4, 5]))
            #expect(reader.next() == .frame(0..<5))
            #expect(reader.next() == nil && reader.frames == (ends ? 2 : 1) && reader.skippedBytes == (ends ? 2 : 6))
        }
    }
}

import Testing

@testable import CuffCore

/// A watch reads a cuff's memory, then listens: each command has its own session, on one stream of bytes.
@Suite struct CommandSequenceTests {
    /// The answer to RB of captures/and-std/last-result, then two pushed results of the same layout.
    private static let answer =
        "16 16 01 30 30 02 54 4d 32 36 35 35 1e 32 36 30 35 30 35 30 37 33 31 1e 52 42 1e 4d 1e 45 30 30 1e 53 31 32 38 1e 4d 20 39 37 1e "
        + "44 20 38 32 1e 50 20 37 31 1e 49 31 37 1e 4c 31 33 39 1e 03 31"
    private static let pushes = [
        "16 16 01 30 30 02 54 4d 32 36 35 35 1e 32 36 30 35 30 35 30 38 30 31 1e 52 42 1e 4d 1e 45 30 30 1e 53 31 33 38 1e 4d 20 39 37 1e "
            + "44 20 38 32 1e 50 20 37 31 1e 49 31 37 1e 4c 31 33 39 1e 03 3c",
        "16 16 01 30 30 02 54 4d 32 36 35 35 1e 32 36 30 35 30 35 31 38 30 32 1e 52 42 1e 4d 1e 45 30 30 1e 53 31 33 31 1e 4d 20 39 38 1e "
            + "44 20 38 34 1e 50 20 36 36 1e 49 31 37 1e 4c 31 33 39 1e 03 38",
    ]

    private func readings(_ commands: [SessionCommand], _ chunks: [[UInt8]]) -> (LinkState, [Reading]) {
        var setup = LinkState.Setup(.andStd)
        setup.commands = commands
        var link = LinkState(setup)
        var effects: [LinkEffect] = []
        var time = LinkTime(elapsed: .zero, wall: Timestamp(milliseconds: 1_778_000_000_000))
        link.handle(.transport(.opened), at: time, into: &effects)
        for case .write(let bytes) in effects { link.handle(.transport(.sent(bytes)), at: time, into: &effects) }
        for chunk in chunks {
            time.elapsed += .milliseconds(20)
            link.handle(.transport(.received(chunk)), at: time, into: &effects)
        }
        link.flush(into: &effects)
        let found = effects.flatMap { effect -> [Reading] in
            if case .submit(let batch) = effect { batch.entries.readings } else { [] }
        }
        return (link, found)
    }

    /// Bytes in the same chunk as the answer are read by the next, listening session, however the chunks are cut.
    @Test func whatFollowsTheAnswer_IsNotLost() throws {
        let answer = try #require(Hex.bytes(Self.answer))
        let stream = try answer + Self.pushes.flatMap { try #require(Hex.bytes($0)) }
        for cut in 1..<stream.count {
            let (link, found) = readings([.readMemory(user: nil), .follow], [Array(stream[..<cut]), Array(stream[cut...])])
            #expect(found.compactMap { $0.bloodPressure?.systolic.digits.value } == [128, 138, 131], "cut at \(cut)")
            #expect(found.map(\.origin) == [.memory, .push, .push], "cut at \(cut)")
            #expect(link.counters.bytes == stream.count && link.counters.frames == 3 && link.counters.skippedBytes == 0, "cut at \(cut)")
        }
        let whole = readings([.readMemory(user: nil), .follow], [stream])
        #expect(whole.1.count == 3)
    }

    /// A result before a start does not belong to it.
    @Test func whatCameBeforeAStart_IsNotItsResult() throws {
        let stream = try #require(Hex.bytes(Self.answer)) + #require(Hex.bytes(Self.pushes[0]))
        let (link, found) = readings([.readMemory(user: nil), .measure, .follow], [stream])
        #expect(found.map(\.origin) == [.memory])
        #expect(link.isMeasuring)
    }
}

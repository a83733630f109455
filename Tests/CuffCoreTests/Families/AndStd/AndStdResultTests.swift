import Testing

@testable import CuffCore

/// `and-std`; captures: `captures/and-std/`.
@Suite struct AndStdResultTests {
    /// Two equal characters of E44 lost from the 64 bytes leave the check as it was, and text that is read by its tags.
    @Test(arguments: ["E11", "E22", "E44"]) func errorThatLostTwoCharacters_IsNoReading(_ error: String) {
        func frame(_ error: String) -> [UInt8] {
            AndStdFrame.text(
                Array(
                    """
                    TM2655\u{1E}2404290239\u{1E}RB\u{1E}M\u{1E}\(error)\u{1E}S213\u{1E}M150\u{1E}D119\u{1E}P 70\u{1E}I17\u{1E}L139\u{1E}
                    """.utf8), address: [0x30, 0x30])
        }
        #expect(readings(frame(error)) == [.failure(AndStdResult.failure(Int(error.dropFirst())))])
        let (whole, cut) = (frame(error), frame("E"))
        #expect(whole.count == 64 && cut.count == 62 && whole.last == cut.last, "the same check")
        #expect(readings(cut).isEmpty)
        #expect(readings(frame("E00")) == [.bloodPressure(.mmHg(213, 119, mean: 150, pulse: 70))])
    }

    /// The cuff also sends results unasked: one before the acknowledgement does not end the measurement, which may be inflating the cuff.
    @Test func resultBeforeTheAcknowledgement_IsOfAnEarlierMeasurement() {
        func result(_ systolic: Int) -> [UInt8] {
            AndStdFrame.text(
                Array(
                    """
                    TM2655\u{1E}2404290239\u{1E}RB\u{1E}M\u{1E}E00\u{1E}S\(systolic)\u{1E}M 97\u{1E}D 82\u{1E}P 71\u{1E}I17\u{1E}L139\u{1E}
                    """.utf8), address: [0x30, 0x30])
        }
        var session = CuffDriver.andStd.makeSession(SessionContext())
        var isFinished = false
        func origins(_ event: SessionEvent) -> [Reading.Origin] {
            let actions = session.handle(event)
            isFinished = actions.contains { if case .finish = $0 { true } else { false } }
            return actions.compactMap { if case .emit(let reading) = $0 { reading.origin } else { nil } }
        }
        _ = session.handle(.command(.measure))
        _ = session.handle(.sent(AndStdFrame.encode(.start, address: [0x30, 0x30])))
        #expect(origins(.received(result(121))) == [.push] && !isFinished)
        _ = session.handle(.received([0x16, 0x16, 0x01, 0x30, 0x30, 0x06]))
        #expect(origins(.received(result(128))) == [.measurement] && isFinished)
    }

    private func readings(_ frame: [UInt8]) -> [Reading.Content] {
        var session = CuffDriver.andStd.makeSession(SessionContext())
        return session.handle(.received(frame)).compactMap { if case .emit(let reading) = $0 { reading.content } else { nil } }
    }
}

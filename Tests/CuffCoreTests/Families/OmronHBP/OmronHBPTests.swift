import Testing

@testable import CuffCore

@Suite struct OmronHBPTests {
    private let id = "12345678901234567890"

    private func read(_ line: String) -> [Reading] {
        var session = OmronHBPSession()
        return (session.handle(.received(Array(line.utf8))) + session.handle(.closed)).compactMap {
            if case .emit(let reading) = $0 { reading } else { nil }
        }
    }

    @Test(arguments: [
        "060,030,040", "260,215,180", "261,080,072", "059,030,040", "120,216,072", "120,029,072", "120,080,039", "120,080,181",
    ])
    func format5_TakesTheManualsRanges(_ values: String) {
        let isWithin = values == "060,030,040" || values == "260,215,180"
        #expect(read("2026,07,11,09,05,\(id),0,\(values),0\r\n").count == (isWithin ? 1 : 0))
    }

    @Test(arguments: [
        "2025,02,29,09,05", "2026,13,11,09,05", "2026,07,11,24,05", "2026,07,11,09,60", "2026,00,11,09,05", "2026,07,00,09,05",
    ])
    func impossibleDate_IsNoReading(_ date: String) {
        #expect(read("\(date),\(id),0,120,080,072,0\r\n").isEmpty)
        let parts = date.split(separator: ",")
        #expect(read("bp,\(id),\(parts[0])/\(parts[1])/\(parts[2]),\(parts[3]):\(parts[4]),120,093,080,072,0\r").isEmpty)
    }

    @Test(arguments: [
        "2026,07,11,09,05,1234567890123456789,0,120,080,072,0", "2026,07,11,09,05,123456789012345678901,0,120,080,072,0",
        "2026,07,11,09,05,12345678901234567890,0,120,080,072", "2026,07,11,09,05,12345678901234567890,0,+20,080,072,0",
        "2026,07,11,09,05,12345678901234567890,0, 20,080,072,0", "2026;07,11,09,05,12345678901234567890,0,120,080,072,0",
        "20244,02,29,23,59,12345678901234567890,0,120,080,070,0", "23024,02,29,23,59,12345678901234567890,0,120,080,070,0",
        "2026,07,11,09,05,12345678901234567890,0,120,   ,072,0", "2026,07,11,09,05,12345678901234567890,7,120,   ,072,0",
        "bp,1234567890123456789,2026/07/11,09:05,120,093,080,072,0", "bp,12345678901234567890,2026/07/11,09:05,120,093,080,72,0",
    ])
    func wrongShape_IsNoReading(_ line: String) {
        #expect(read(line + "\r\n").isEmpty)
    }

    @Test func damagedLine_DoesNotTakeTheNextOneAlong() {
        let good = "2026,07,11,09,05,\(id),0,120,080,072,0"
        #expect(read("2026,07,11,09,0\(good)").count == 1)
        #expect(read("bp,\(id),2026/07/11,09:05,120\(good)\r\n\(good.replacing("120", with: "121"))\r").count == 2)
    }

    @Test func errorDigit_IsAFailure_EvenWithNumbers() throws {
        let reading = try #require(read("2026,07,11,09,05,\(id),7,120,080,072,0\r\n").first)
        #expect(reading.content == .failure(.init(.unknown, code: "7")))
    }

    /// A patient's id is not for logs.
    @Test func reports_DoNotNameThePerson() {
        var session = OmronHBPSession()
        let lines = [
            "2025,02,29,09,05,\(id),0,120,080,072,0\r\n", "2026,07,11,09,05,\(id),0,261,080,072,0\r\n",
            "bp,\(id),2026/02/30,09:05,120,093,080,072,0\r",
        ]
        let actions = session.handle(.received(Array(lines.joined().utf8)))
        let sentences = actions.compactMap { if case .report(let diagnostic) = $0 { diagnostic.sentence } else { nil } }
        #expect(sentences.count == 3)
        #expect(sentences.allSatisfy { !$0.contains(Hex.text(Array(id.utf8))) })
    }

    @Test func simulator_IsReadInBothForms() {
        for format in ["5", "bp"] {
            let script = SimulatorScript(options: ["format": format, "twice": "yes"])
            let talk = Conversation(.omronHBP, .follow, script: script, closesAfter: .seconds(30))
            #expect(talk.readings.count == 3, "\(format)")
            FaultyLineTests.expectTrue(talk.readings, .omronHBP, format, of: script)
            #expect(talk.writes.isEmpty)
        }
    }
}

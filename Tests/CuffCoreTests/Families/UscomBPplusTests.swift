import Testing

@testable import CuffCore

/// `uscom-bpplus`; captures: `captures/uscom-bpplus/`.
@Suite struct UscomBPplusTests {
    @Test func check_HasItsPublishedValue() { #expect(UscomCheck.of(Array("123456789".utf8)) == 0x15) }

    /// Write commands that a public SDK prints with their checks.
    @Test(arguments: [
        ("MEASUREMODE5", 0x9F), ("MEASUREMODE4", 0x0E), ("FILEPREFIXAB", 0x35), ("FILEPREFIXNONE", 0xF3), ("FILEPREFIXCOUNT1", 0xB8),
    ])
    func check_HoldsOnPrintedCommands(_ text: String, _ value: UInt8) {
        #expect(UscomCheck.of(Array(("015D90DE1A0000DA" + text).utf8)) == value)
    }

    @Test func memory_IsReadOldestFirst() {
        let records = SimulatedRecord.sample(count: 3, seed: 1)
        let talk = Conversation(.uscomBPplus, .readMemory(user: nil), script: SimulatorScript(records: records))
        #expect(talk.outcome == .complete)
        #expect(
            talk.readings.map(\.bloodPressure) == records.map { .mmHg($0.systolic, $0.diastolic, mean: $0.mean, pulse: $0.pulse) })
        #expect(talk.readings.map { $0.clock.time } == records.map { $0.time })
        #expect(Conversation(.uscomBPplus, .information).identity?.id == "015D90DE1A0000DA")
    }

    @Test func measure_GivesLivePressureAndTheResult() {
        let record = SimulatedRecord.sample(count: 3, seed: 1)[0]
        let talk = Conversation(.uscomBPplus, .measure)
        #expect(talk.readings.map(\.bloodPressure) == [.mmHg(record.systolic, record.diastolic, mean: record.mean, pulse: record.pulse)])
        #expect(talk.readings.map(\.origin) == [.measurement])
        #expect(talk.lives.contains(.cuffPressure(.mmHg(160))) && talk.lives.last == .ended)
    }

    @Test func measure_ThatFindsNothing_IsAFailureWithTheDevicesNumber() {
        var records = SimulatedRecord.sample(count: 1, seed: 1)
        records[0].failure = .systolicNotFound
        let talk = Conversation(.uscomBPplus, .measure, script: SimulatorScript(records: records))
        #expect(talk.readings.map(\.content) == [.failure(.init(.systolicNotFound, code: ShortText("F01")))])
    }

    @Test func clock_IsReadBackAfterItWasSet() {
        let time = DeviceTime(year: 2026, month: 3, day: 1, hour: 8, minute: 30, second: 5)
        let talk = Conversation(.uscomBPplus, .setClock(time))
        #expect(talk.writes.first == Array("y 20260301083005 \r\n".utf8))
        #expect(talk.clocks == [time] && talk.outcome == .complete)
    }

    /// Three determinations are 120 kB, nearly all of it waveforms.
    @Test func longDocument_TakesNoMemory() {
        let waves = [UInt8](repeating: UInt8(ascii: "A"), count: 120_000)
        let head = Array("<BPplus><MeasDataLogger datetime=\"2026-05-05T07:33:10\"><Sys>120</Sys><Dia>80</Dia><Raw>".utf8)
        let xml = head + waves + Array("</Raw></MeasDataLogger></BPplus>".utf8)
        let message = Array("|_XML_Size\(xml.count) \(UscomCheck.of(xml))_|\r\n".utf8) + xml
        var session = UscomSession(SessionContext())
        var actions: [SessionAction] = []
        for start in stride(from: 0, to: message.count, by: 64) {
            actions += session.handle(.received(Array(message[start..<min(start + 64, message.count)])))
        }
        let readings = actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
        #expect(readings.map(\.bloodPressure) == [.mmHg(120, 80, meanOrZero: 0, pulseOrZero: 0)])
        #expect(readings.first.map { $0.raw.array.count < 200 } == true)
    }

    @Test func patientsNumber_IsInNoReading() throws {
        let xml = Array(
            "<BPplus><PatientID>P-4711</PatientID><MeasDataLogger guid=\"g\"><Sys>120</Sys><Dia>80</Dia></MeasDataLogger></BPplus>".utf8)
        var session = UscomSession(SessionContext())
        let actions = session.handle(.received(Array("|_XML_Size\(xml.count) \(UscomCheck.of(xml))_|\r\n".utf8) + xml))
        let reading = try #require(actions.lazy.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }.first)
        #expect(!String(decoding: reading.raw.array, as: UTF8.self).contains("4711"))
    }
}

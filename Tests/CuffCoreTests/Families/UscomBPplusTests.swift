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

    /// The device lists a hundred at a time; without `pages` all are read.
    @Test(arguments: [(nil, 99, 1), (nil, 100, 2), (nil, 250, 3), ("1", 250, 1), ("2", 250, 2)] as [(String?, Int, Int)])
    func memory_OfSeveralPages_IsReadOldestFirst(_ pages: String?, _ count: Int, _ lists: Int) {
        let records = SimulatedRecord.sample(count: count, seed: 1)
        let context = SessionContext(options: pages.map { ["pages": $0] } ?? [:])
        let talk = Conversation(.uscomBPplus, .readMemory(user: nil), script: SimulatorScript(records: records), context: context)
        #expect(talk.outcome == .complete)
        #expect(talk.readings.map { $0.clock.time } == records.suffix(100 * lists).map { $0.time })
        #expect(talk.writes.filter { $0.first == UInt8(ascii: "i") } == (0..<lists).map { Array("i \($0)\r\n".utf8) })
    }

    /// No document says what comes behind the last page: the first page again, a refusal and silence each end the list.
    @Test(arguments: ["again", "refusal", "silence"]) func list_ThatDoesNotGoOn_IsReadAsFarAsItCame(_ second: String) {
        var session = UscomSession(SessionContext())
        _ = session.handle(.command(.readMemory(user: nil)))
        let content = "IDs_Content" + (1...100).map { " \($0)" }.joined()
        let page = lines("IDs_H \(content.utf8.count + 2) \(UscomCheck.of(Array((content + "\r\n").utf8)))", content)
        var actions = session.handle(page)
        #expect(written(actions) == ["i 1\r\n"])
        switch second {
        case "again": actions = session.handle(page)
        case "refusal": actions = session.handle(lines("F 14"))
        default: for _ in 0..<3 { actions = session.handle(.timerFired(.response)) }
        }
        #expect(written(actions) == ["d 5\r\n"])
        actions = session.handle(lines("D 5"))
        #expect(written(actions) == ["r 100\r\n"])
    }

    @Test func lists_AreTenAtMost() {
        var session = UscomSession(SessionContext())
        _ = session.handle(.command(.readMemory(user: nil)))
        for page in 0..<10 {
            let content = "IDs_Content" + (1...100).map { " \(100 * page + $0)" }.joined()
            let head = "IDs_H \(content.utf8.count + 2) \(UscomCheck.of(Array((content + "\r\n").utf8)))"
            #expect(written(session.handle(lines(head, content))) == [page < 9 ? "i \(page + 1)\r\n" : "d 5\r\n"])
        }
    }

    private func written(_ actions: [SessionAction]) -> [String] {
        actions.compactMap { if case .write(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
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

    /// The line with the new time was lost: the device still shows another one.
    @Test func clockThatStays_IsNotSaidToBeSet() {
        var session = UscomSession(SessionContext())
        _ = session.handle(.command(.setClock(DeviceTime(year: 2026, month: 3, day: 1, hour: 8, minute: 30))))
        #expect(written(session.handle(.timerFired(.response))) == ["y\r\n"])
        let ends = session.handle(.received(Array("T 20190101000000\r\n".utf8))).compactMap { action -> Outcome? in
            if case .finish(let outcome) = action { outcome } else { nil }
        }
        #expect(ends == [.failed("the device's clock does not show the time that was sent")])
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

    private func document(_ values: String, _ root: String = "BPplus") -> [UInt8] {
        let xml = Array("<\(root)>\r\n<MeasDataLogger datetime=\"2026-05-05T07:33:10\">\(values)</MeasDataLogger></\(root)>".utf8)
        return Array("|_XML_Size\(xml.count) \(UscomCheck.of(xml))_|\r\n".utf8) + xml + [0x0D, 0x0A]
    }

    private func readings(_ actions: [SessionAction]) -> [Reading] {
        actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }

    private func lines(_ text: String...) -> SessionEvent { .received(text.flatMap { Array(($0 + "\r\n").utf8) }) }

    /// The line was interrupted within a document; the next one begins within the bytes that the first one counted.
    @Test(arguments: [40, 90]) func cutDocument_DoesNotSwallowTheNextOne(_ kept: Int) {
        let first = document("<Sys>150</Sys><Dia>90</Dia>")
        let next = document("<Sys>120</Sys><Dia>80</Dia><Pr>61</Pr>")
        let stream = Array(first.prefix(kept)) + [0x0D, 0x0A] + next
        for size in [1, 7, stream.count] {
            var session = UscomSession(SessionContext())
            let actions = stride(from: 0, to: stream.count, by: size).flatMap {
                session.handle(.received(Array(stream[$0..<min($0 + size, stream.count)])))
            }
            #expect(readings(actions).map(\.bloodPressure) == [.mmHg(120, 80, meanOrZero: 0, pulseOrZero: 61)], "\(size)")
        }
        let found = UscomReader.find(in: stream).ranges.map { Array(stream[$0]) }
        #expect(found == [Array(next.dropLast(2))])
    }

    /// No check: values are known by their places, and by three digits each. The rest of a line, here `…`, is that of the printed one.
    @Test(arguments: [
        ("S 00000 016 122 095 074 044 116…", [122, 95, 74, 44]), ("S  016 122 095 074 044 116…", [122, 95, 74, 44]),
        ("S 00000 016 122 095 074 044 116… ", [122, 95, 74, 44]),
        ("S AB-1 016 122 000 074 000 116…", [122, 0, 74, 0]), ("S 1 2 016 122 095 074 044…", []), ("S 00000 016 122 095 07 044 116…", []),
        ("S 00000 016 12 095 074 044 116…", []), ("S 00000 016 000 000 000 000 000…", []), ("S 00000 016 122 060 074 044 116…", []),
        // A lost or damaged blank or field: 95/44 with a pulse of 116, or 122/75 with one of 46.
        ("S 00000 016122 095 074 044 116…", []), ("S 00000016 122 095 074 044 116…", []), ("S 00000 016!122 095 074 044 116…", []),
        ("S 00000 122 095 074 044 116…", []), ("S 00000 016 122 094 075 046…", []), ("S 00000 016 122 095 074 044 116", []),
    ])
    func resultLine_IsReadByItsPlaces(_ line: String, _ values: [Int]) {
        var session = UscomSession(SessionContext())
        let rest = " 094 075 046 059 072 005 325 160 175 0659"
        let found = readings(session.handle(lines(line.replacing("…", with: rest)))).map(\.bloodPressure)
        #expect(found == (values.isEmpty ? [] : [.mmHg(values[0], values[2], meanOrZero: values[1], pulseOrZero: values[3])]))
    }

    /// Without the list all are taken; an empty list includes none. Sixteen are kept: the values of further ones replace none of them.
    @Test(
        arguments: [
            (nil, 20, Array(101...116)), ("a2, a3", 3, [102, 103]), ("", 3, []), ("a3", 0, [122]),
        ] as [(String?, Int, [Int])])
    func series_HasTheIncludedDeterminations(_ included: String?, _ count: Int, _ systolic: [Int]) {
        let attribute = included.map { " includedMeasurements=\"\($0)\"" } ?? ""
        let series = (0..<count).map {
            "<NibpBloodPressure id=\"a\($0 + 1)\"><Sys>\(101 + $0)</Sys><Dia>60</Dia></NibpBloodPressure>"
        }
        let xml = Array(
            """
            <BPplus><MeasDataLogger datetime="2026-05-05T07:33:10"\(attribute)><Sys>122</Sys><Dia>60</Dia>\
            <NibpBloodPressures>\(series.joined())</NibpBloodPressures></MeasDataLogger></BPplus>
            """.utf8)
        let document = Array("|_XML_Size\(xml.count) \(UscomCheck.of(xml))_|\r\n".utf8) + xml + [0x0D, 0x0A]
        var session = UscomSession(SessionContext())
        let found = readings(session.handle(.received(document))).map(\.bloodPressure)
        #expect(found == systolic.map { .mmHg($0, 60, meanOrZero: 0, pulseOrZero: 0) })
    }

    /// An element without text is an absent one: the time of the whole result stands in.
    @Test(arguments: ["<DateTime></DateTime>", "<DateTime> </DateTime>", "<DateTime/>", ""]) func emptyTime_IsAbsent(_ time: String) {
        var session = UscomSession(SessionContext())
        let series = "<NibpBloodPressure id=\"a1\"><Sys>122</Sys><Dia>74</Dia>\(time)</NibpBloodPressure>"
        let found = readings(session.handle(.received(document("<NibpBloodPressures>\(series)</NibpBloodPressures>"))))
        #expect(found.map(\.clock) == [.time(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 33, second: 10))])
    }

    @Test(arguments: ["<Sys>0</Sys><Dia>0</Dia>", "<Sys>122</Sys><Dia></Dia>", "<Alert>too loose</Alert>"])
    func resultWithoutPressures_IsAWarning(_ values: String) {
        var session = UscomSession(SessionContext())
        let actions = session.handle(.received(document(values)))
        #expect(readings(actions).isEmpty)
        #expect(actions.contains { if case .report(.warning("a result without pressures")) = $0 { true } else { false } })
    }

    @Test func measure_CancelledOnTheDevice_Ends() {
        var session = UscomSession(SessionContext())
        _ = session.handle(.command(.measure))
        var actions = session.handle(lines("D 4"))
        actions += session.handle(.sent(Array("s 0\r\n".utf8)))
        actions += session.handle(lines("M 03", "P 080", "F 02", "M 02"))
        #expect(readings(actions).map(\.content) == [.failure(.init(.stopped, code: ShortText("F02")))])
        #expect(actions.contains { if case .live(.aborted) = $0 { true } else { false } })
        #expect(actions.contains { if case .finish(.complete) = $0 { true } else { false } })
    }

    /// `M 22` once, then up to 900 seconds of silence.
    @Test func measure_WaitsForTheRestOfAnOfficeSeries() {
        var session = UscomSession(SessionContext())
        _ = session.handle(.command(.measure))
        _ = session.handle(lines("D 4"))
        func silence(_ actions: [SessionAction]) -> Duration? {
            actions.compactMap { if case .arm(.silence, let limit) = $0 { limit } else { nil } }.last
        }
        let resting = silence(session.handle(lines("M 22")))
        #expect(resting.map { $0 > .seconds(900) } == true)
        let measuring = silence(session.handle(lines("M 03", "P 100")))
        #expect(measuring.map { $0 < .seconds(300) } == true)
    }

    @Test func refusalOnAnotherScreen_IsToldAtOnce() {
        for command in [SessionCommand.readMemory(user: nil), .readClock, .information] {
            var session = UscomSession(SessionContext())
            _ = session.handle(.command(command))
            let actions = session.handle(lines("F 14"))
            #expect(actions.contains { if case .finish(.failed) = $0 { true } else { false } }, "\(command)")
        }
    }

    @Test func recording_OfOtherSoftware_TellsClockAndOrigin() {
        var session = UscomSession(SessionContext())
        var actions = session.handle(lines("20260827143000"))
        actions += session.handle(.sent(Array("y\r\n".utf8)))
        actions += session.handle(lines("T 20260827143001"))
        actions += session.handle(.sent(Array("r 34\r\n".utf8)))
        actions += session.handle(.received(document("<Sys>150</Sys><Dia>90</Dia>")))
        actions += session.handle(.received(document("<Sys>120</Sys><Dia>80</Dia>")))
        let clocks = actions.compactMap { if case .clock(let time) = $0 { time } else { nil } }
        #expect(clocks == [DeviceTime(year: 2026, month: 8, day: 27, hour: 14, minute: 30, second: 1)])
        #expect(readings(actions).map(\.origin) == [.memory, .push])
    }
}

import Testing

@testable import CuffCore

/// Equal stamps and pressures: another pulse is another measurement, and fewer values are the same one.
@Suite struct PHDListedTwiceTests {
    /// A link with an agent of the standard configuration; readings as in a sink, the highest revision by id.
    private struct Line {
        private var link: LinkState
        private var invoke: UInt16 = 0
        var stored: [Reading] = []

        init(_ commands: [SessionCommand] = [.follow], stored: [Reading] = []) {
            self.stored = stored
            link = LinkState(LinkState.Setup(.phd, commands: commands))
            handle(.transport(.opened))
            associate()
        }

        mutating func associate() { handle(.transport(.received(Hex.bytes(PHDVectorTests.request) ?? []))) }
        mutating func release() { handle(.transport(.received([0xE4, 0, 0, 2, 0, 0]))) }
        mutating func abort() { handle(.transport(.received([0xE6, 0, 0, 2, 0, 2]))) }
        mutating func report(_ observations: [(handle: UInt16, bytes: [UInt8])]) {
            var apdu = PHDBytes.fixed(observations)
            invoke += 1
            (apdu[6], apdu[7]) = (UInt8(invoke >> 8), UInt8(invoke & 0xFF))
            handle(.transport(.received(apdu)))
        }

        private mutating func handle(_ event: LinkEvent) {
            var events = [event]
            while !events.isEmpty {
                var effects: [LinkEffect] = []
                link.handle(events.removeFirst(), at: LinkTime(elapsed: .zero), into: &effects)
                link.flush(into: &effects)
                for effect in effects {
                    if case .write(let bytes) = effect { events.append(.transport(.sent(bytes))) }
                    guard case .submit(let batch) = effect else { continue }
                    for reading in batch.entries.readings { store(reading) }
                    events.append(.committed(through: batch.through))
                }
            }
        }

        private mutating func store(_ reading: Reading) {
            guard let index = stored.firstIndex(where: { $0.id == reading.id }) else { return stored.append(reading) }
            let old = stored[index]
            if reading.revision > old.revision || reading.revision == old.revision && old.isPending { stored[index] = reading }
        }

        var texts: [String] {
            stored.map { reading in
                let end = reading.isPending ? " pending" : ""
                guard let pressure = reading.bloodPressure else { return "other\(end)" }
                let mean = pressure.mean.map { " (\($0.digits.mantissa))" } ?? ""
                let pulse = pressure.pulse.map { "\($0.digits.mantissa)" } ?? "-"
                return "\(pressure.systolic.digits.mantissa)/\(pressure.diastolic.digits.mantissa)\(mean) \(pulse)\(end)"
            }.sorted()
        }
    }

    /// 2026-11-20 07:10 and this second.
    private static func stamp(_ second: UInt8) -> [UInt8] { [0x20, 0x26, 0x11, 0x20, 0x07, 0x10, second, 0] }
    /// 147/93 with mean 111, under the compound's head: three values, six bytes.
    private static func pressures(_ second: UInt8 = 0x12, mean: UInt16 = 111) -> (handle: UInt16, bytes: [UInt8]) {
        (1, PHDBytes.words(3, 6, 147, 93, mean) + stamp(second))
    }
    private static func pulse(_ pulse: UInt16, _ second: UInt8 = 0x12) -> (handle: UInt16, bytes: [UInt8]) {
        (2, PHDBytes.words(pulse) + stamp(second))
    }

    @Test func twoPulses_InTwoReports_AreTwoReadings() {
        var line = Line()
        line.report([Self.pressures(), Self.pulse(66)])
        line.report([Self.pressures(), Self.pulse(72)])
        #expect(line.texts == ["147/93 (111) 66", "147/93 (111) 72"])
        // Both repeated, in any order and in another association: nothing new.
        line.abort()
        line.associate()
        line.report([Self.pressures(), Self.pulse(72)])
        line.report([Self.pressures(), Self.pulse(66)])
        #expect(line.texts == ["147/93 (111) 66", "147/93 (111) 72"])
    }

    /// Each report is read by a separate process; both store into one database.
    @Test(arguments: [0x12, 0] as [UInt8]) func twoPulses_InTwoProcesses_AreTwoReadings(_ second: UInt8) {
        var stored: [Reading] = []
        for pulse in [66, 72, 66, 72] as [UInt16] {
            var line = Line(stored: stored)
            line.report([Self.pressures(second), Self.pulse(pulse, second)])
            line.release()
            stored = line.stored
        }
        #expect(Line(stored: stored).texts == ["147/93 (111) 66", "147/93 (111) 72"])
        // Both in one report are the same two.
        var line = Line(stored: stored)
        line.report([Self.pressures(second), Self.pulse(66, second), Self.pressures(second), Self.pulse(72, second)])
        line.release()
        #expect(line.texts == ["147/93 (111) 66", "147/93 (111) 72"])
    }

    /// A pulse that completes a stored reading keeps the id; another one later has its own.
    @Test func aLatePulse_KeepsTheID() {
        var line = Line()
        line.report([Self.pressures()])
        let first = line.stored.map(\.id)
        line.report([Self.pulse(66)])
        #expect(line.stored.map(\.id) == first && line.texts == ["147/93 (111) 66"])
        line.report([Self.pressures(), Self.pulse(66)])
        #expect(line.stored.map(\.id) == first)
        line.report([Self.pressures(), Self.pulse(72)])
        #expect(line.texts == ["147/93 (111) 66", "147/93 (111) 72"])
    }

    /// The second comes after the session of the first has ended.
    @Test func twoPulses_InTwoSessions_AreTwoReadings() {
        var line = Line([.readMemory(user: nil), .follow])
        line.report([Self.pressures(0), Self.pulse(66, 0)])
        line.release()
        line.associate()
        line.report([Self.pressures(0), Self.pulse(72, 0)])
        #expect(line.texts == ["147/93 (111) 66", "147/93 (111) 72"])
    }

    @Test func twoPulses_InReportsOfTheirOwn_AreTwoReadings() {
        var line = Line()
        for pulse in [66, 72] as [UInt16] {
            line.report([Self.pressures()])
            line.report([Self.pulse(pulse)])
        }
        line.release()
        #expect(line.texts == ["147/93 (111) 66", "147/93 (111) 72"])
    }

    @Test(arguments: [0x12, 0] as [UInt8]) func twoPulses_InOneReport_AreTwoReadings(_ second: UInt8) {
        for _ in 1...2 {
            var line = Line()
            line.report([Self.pressures(second), Self.pulse(66, second), Self.pressures(second), Self.pulse(72, second)])
            line.release()
            #expect(line.texts == ["147/93 (111) 66", "147/93 (111) 72"])
        }
    }

    /// Once with its pulse and once without, in either order, in one report.
    @Test func listedTwice_TheFullerStays() {
        let lists = [
            [Self.pressures(), Self.pulse(81), Self.pressures()], [Self.pressures(), Self.pressures(), Self.pulse(81)],
            [Self.pressures(), Self.pulse(81), Self.pressures(), Self.pulse(81)],
            [Self.pressures(), Self.pulse(81), Self.pressures(), Self.pulse(0x07FF)],
            [Self.pressures(), Self.pulse(0x07FF), Self.pressures(), Self.pulse(81)],
            [Self.pressures(), Self.pulse(81), Self.pressures(mean: 0x07FF)],
            [Self.pressures(mean: 0x07FF), Self.pulse(81), Self.pressures()],
        ]
        for (number, list) in lists.enumerated() {
            var line = Line()
            line.report(list)
            line.release()
            #expect(line.texts == ["147/93 (111) 81"], "list \(number)")
        }
    }

    @Test func cameAgainWithLess_TheFullerStays() {
        for more in [true, false] {
            let full = [Self.pressures(), Self.pulse(81)]
            let less = [Self.pressures()]
            var line = Line([.readMemory(user: nil), .follow])
            line.report(more ? full : less)
            line.report(more ? less : full)
            line.release()
            #expect(line.texts == ["147/93 (111) 81"])
            var later = Line([.readMemory(user: nil), .follow])
            later.report(more ? full : less)
            later.release()
            later.associate()
            later.report(more ? less : full)
            later.release()
            #expect(later.texts == ["147/93 (111) 81"])
        }
    }

    /// A stamp on the whole minute may be from a cuff without seconds: two measurements of one report stay two, and neither loses anything.
    @Test func stampsWithoutSeconds_KeepBoth() {
        var line = Line()
        line.report([Self.pressures(0), Self.pulse(81, 0), Self.pressures(0)])
        line.release()
        #expect(line.texts == ["147/93 (111) -", "147/93 (111) 81"])
    }

    @Test func otherMeans_AreTwoReadings() {
        var line = Line()
        line.report([Self.pressures(), Self.pulse(81), Self.pressures(mean: 112), Self.pulse(81)])
        line.release()
        #expect(line.texts == ["147/93 (111) 81", "147/93 (112) 81"])
    }

    /// Many pulses under one stamp are each stored once.
    @Test func manyPulses_AreManyReadings() {
        var line = Line()
        for _ in 1...2 {
            for pulse in 40..<140 as Range<UInt16> { line.report([Self.pressures(), Self.pulse(pulse)]) }
        }
        #expect(line.stored.count == 100)
        #expect(Set(line.texts).count == 100)
    }
}

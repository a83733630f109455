import Testing

@testable import CuffCore

/// Measurements with one stamp: each keeps its own pulse and status.
@Suite struct PHDSameStampTests {
    typealias Observation = (handle: UInt16, bytes: [UInt8])

    private static let statusObject = PHDStandardConfiguration.object(PHDClass.enumeration, 3, count: 2) {
        $0.attribute(PHDAttribute.type) { $0.append(PHDBytes.words(128, 22000)) }
        $0.attribute(PHDAttribute.valueMap) { PHDStandardConfiguration.map([(0x0A66, 2), (0x0990, 8)], into: &$0) }
    }

    /// 2026-11-20 07:10:00.00 and 07:10:12.00
    private static let minute: [UInt8] = [0x20, 0x26, 0x11, 0x20, 0x07, 0x10, 0x00, 0x00]
    private static let second = PHDBytes.stamp

    private static func pressures(_ systolic: UInt16, _ diastolic: UInt16, _ stamp: [UInt8] = minute) -> Observation {
        (1, PHDBytes.words(3, 6, systolic, diastolic, 0x07FF) + stamp)
    }
    private static func pulse(_ pulse: UInt16, _ stamp: [UInt8] = minute) -> Observation { (2, PHDBytes.words(pulse) + stamp) }
    private static func status(_ bits: UInt16, _ stamp: [UInt8] = minute) -> Observation { (3, PHDBytes.words(bits) + stamp) }

    /// The last reading of each record after these reports and a release, as text.
    private func readings(_ reports: [[Observation]], withStatus: Bool = false) -> [String] {
        let objects = [PHDBytes.pressureObject(), PHDBytes.pulseObject()]
        var manager = PHDBytes.manager(withStatus ? objects + [Self.statusObject] : objects)
        for report in reports { manager.play(.received(PHDBytes.fixed(report))) }
        manager.take("e40000020000")
        var last: [[UInt8]: Reading] = [:]
        for reading in manager.readings where !reading.isPending { last[reading.raw.array] = reading }
        return Self.text(Array(last.values))
    }

    private static func text(_ readings: [Reading]) -> [String] {
        readings.map { reading in
            let flag = reading.flags.contains(.irregularPulse) ? " irregular" : ""
            switch reading.content {
            case .bloodPressure(let pressure):
                let pulse = pressure.pulse.map { "\($0.digits.mantissa)" } ?? "-"
                return "\(pressure.systolic.digits.mantissa)/\(pressure.diastolic.digits.mantissa) \(pulse)\(flag)"
            case .pulseRate(let pulse): return "pulse \(pulse.digits.mantissa)"
            case .failure: return "failed"
            case .quantity(let quantity): return "quantity \(quantity.term)"
            }
        }.sorted()
    }

    /// 150/95 came with its pulse, in either order; 120/80 came without one before.
    @Test(arguments: [minute, second]) func pulse_GoesToThePressuresOfItsReport(_ stamp: [UInt8]) {
        let first = [Self.pressures(120, 80, stamp)]
        let pair = [Self.pressures(150, 95, stamp), Self.pulse(99, stamp)]
        #expect(readings([first, pair]) == ["120/80 -", "150/95 99"])
        #expect(readings([first, pair.reversed()]) == ["120/80 -", "150/95 99"])
    }

    /// A lone pulse came before.
    @Test(arguments: [minute, second]) func pressures_GetThePulseOfTheirReport(_ stamp: [UInt8]) {
        let first = [Self.pulse(66, stamp)]
        let pair = [Self.pressures(150, 95, stamp), Self.pulse(99, stamp)]
        #expect(readings([first, pair]) == ["150/95 99", "pulse 66"])
        #expect(readings([first, pair.reversed()]) == ["150/95 99", "pulse 66"])
    }

    /// A&D's order: all pressures, then all pulses; reports may end anywhere.
    @Test func pressuresThenPulses_AreJoinedInOrder() {
        let sent = [
            Self.pressures(120, 80), Self.pressures(150, 95), Self.pressures(130, 85), Self.pulse(60), Self.pulse(99), Self.pulse(70),
        ]
        let expected = ["120/80 60", "130/85 70", "150/95 99"]
        for cut in 0...sent.count {
            for end in cut...sent.count {
                let reports = [Array(sent[..<cut]), Array(sent[cut..<end]), Array(sent[end...])].filter { !$0.isEmpty }
                // As many pulses as pressures in the second report: see `pulse_GoesToThePressuresOfItsReport`.
                if (cut, end) == (2, 4) || (cut, end) == (1, 5) { continue }
                #expect(readings(reports) == expected, "\(cut) \(end)")
            }
        }
        // Pulses first.
        let reversed = Array(sent[3...]) + Array(sent[..<3])
        #expect(readings([Array(reversed[..<3]), Array(reversed[3...])]) == expected)
        #expect(readings([Array(reversed[..<2]), Array(reversed[2...])]) == expected)
    }

    /// The report ended between pressures and pulse.
    @Test func cutMeasurement_IsCompleted() {
        #expect(
            readings([[Self.pressures(120, 80)], [Self.pulse(60), Self.pressures(150, 95), Self.pulse(99)]]) == ["120/80 60", "150/95 99"])
        #expect(
            readings([[Self.pulse(60)], [Self.pressures(120, 80), Self.pulse(99), Self.pressures(150, 95)]]) == ["120/80 60", "150/95 99"])
    }

    /// A failed measurement without pressures, and its pulse.
    @Test func pulseOfAFailure_IsNoOthers() {
        let failure: Observation = (1, PHDBytes.words(3, 6, 0x07FF, 0x07FF, 0x07FF) + Self.minute)
        #expect(readings([[Self.pressures(120, 80)], [failure, Self.pulse(50)]]) == ["120/80 -", "failed", "pulse 50"])
    }

    /// Equal bytes that are no time do not mean the same moment.
    @Test(arguments: [[UInt8](repeating: 0xFF, count: 8), [0x20, 0x26, 0x13, 0x32, 0x07, 0x10, 0, 0], [UInt8](repeating: 0, count: 8)])
    func impossibleStamps_JoinOnlyWithinAReport(_ stamp: [UInt8]) {
        #expect(readings([[Self.pressures(120, 80, stamp)], [Self.pulse(99, stamp)]]) == ["120/80 -", "pulse 99"])
        #expect(readings([[Self.pulse(99, stamp)], [Self.pressures(120, 80, stamp)]]) == ["120/80 -", "pulse 99"])
        #expect(readings([[Self.pressures(120, 80, stamp), Self.pulse(99, stamp)]]) == ["120/80 99"])
    }

    /// Status and pulse may precede their pressures, with equal values in both measurements.
    @Test func equalValuesBeforeTheirPressures_AreNotLost() {
        #expect(
            readings([[Self.pulse(70), Self.pressures(120, 80), Self.pulse(70), Self.pressures(130, 85)]]) == ["120/80 70", "130/85 70"])
        #expect(
            readings([[Self.pulse(70), Self.pulse(70), Self.pressures(120, 80), Self.pressures(130, 85)]]) == ["120/80 70", "130/85 70"])
        let report = [
            Self.status(0x2000), Self.pressures(120, 80), Self.pulse(70), Self.status(0x2000), Self.pressures(130, 85), Self.pulse(71),
        ]
        #expect(readings([report], withStatus: true) == ["120/80 70 irregular", "130/85 71 irregular"])
    }

    @Test func status_GoesToThePressuresOfItsReport() {
        let first = [Self.pressures(120, 80), Self.pulse(70)]
        let next = [Self.status(0x2000), Self.pressures(130, 85), Self.pulse(71)]
        #expect(readings([first, next], withStatus: true) == ["120/80 70", "130/85 71 irregular"])
        #expect(readings([first, next.reversed()], withStatus: true) == ["120/80 70", "130/85 71 irregular"])
        #expect(readings([first, [Self.status(0x2000)]], withStatus: true) == ["120/80 70 irregular"])
    }

    @Test func repeatedValues_AreNoOthers() {
        #expect(readings([[Self.pressures(120, 80), Self.pulse(70), Self.pulse(70)]]) == ["120/80 70"])
        #expect(readings([[Self.pressures(120, 80)], [Self.pulse(70)], [Self.pulse(70)]]) == ["120/80 70"])
        #expect(readings([[Self.pulse(70)], [Self.pulse(70)], [Self.pressures(120, 80)]]) == ["120/80 70"])
        let twice = [Self.status(0x2000), Self.pressures(120, 80), Self.pulse(70), Self.status(0x2000)]
        #expect(readings([twice], withStatus: true) == ["120/80 70 irregular"])
    }

    /// An entry of a store is one measurement, whatever the stamps of the others.
    @Test func entriesOfAStore_AreNotJoined() {
        let stamp = PHDStamp(.absolute, Self.minute.span, 0)
        func reading(_ content: Reading.Content, _ byte: UInt8) -> Reading {
            Reading(content, driver: "phd", clock: stamp.clock, origin: .memory, raw: RawBytes([byte]))
        }
        var joiner = PHDJoiner()
        joiner.isStore = true
        func pulse(_ number: Int) {
            joiner.add(pulse: .digits(Digits(number)), flags: [], user: nil, stamp: stamp) {
                reading(.pulseRate(PulseRate(number)), UInt8(number))
            }
        }
        joiner.begin()
        pulse(70)
        joiner.add(pressure: reading(.bloodPressure(.mmHg(120, 80)), 1), stamp: stamp)
        joiner.begin()
        pulse(70)
        joiner.add(pressure: reading(.bloodPressure(.mmHg(130, 85)), 2), stamp: stamp)
        joiner.begin()
        joiner.add(pressure: reading(.bloodPressure(.mmHg(140, 90)), 3), stamp: stamp)
        joiner.begin()
        pulse(50)
        joiner.add(failure: reading(.failure(.init(.noValue)), 4), stamp: stamp)
        joiner.begin()
        pulse(51)
        joiner.add(pressure: reading(.bloodPressure(.mmHg(118, 76)), 5), stamp: stamp)
        var actions = SessionActions()
        _ = joiner.finishReport(PHDJoiner.Expectation(), into: &actions)
        #expect(Self.text(actions.readings) == ["118/76 51", "120/80 70", "130/85 70", "140/90 -", "failed", "pulse 50"])
    }
}

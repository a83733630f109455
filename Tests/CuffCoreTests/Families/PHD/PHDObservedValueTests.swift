import Testing

@testable import CuffCore

/// Facts within or beside a value reach the reading.
@Suite struct PHDObservedValueTests {
    typealias Attribute = PHDBytes.Attribute

    /// 120/80, mean 93 mmHg as Compound-Nu-Observed-Value (docs/PHD.md §4.4), each component with a status of its own.
    private static func compound(_ statuses: [UInt16]) -> Attribute {
        let items = zip([(18949, 120), (18950, 80), (18951, 93)] as [(UInt16, UInt16)], statuses)
        return (0x094B, PHDBytes.words(3, 30) + items.flatMap { PHDBytes.words($0.0, $1, 3872, 0, $0.1) })
    }
    private static let stamped: Attribute = (0x0990, PHDBytes.stamp)

    @Test(
        arguments: [
            ([0x8000, 0, 0], MeasurementFlags.invalid), ([0, 0x4000, 0], .questionable), ([0, 0, 0x2000], .notAvailable),
            ([0x0800, 0, 0x0400], [.testData, .demoData]), ([0, 0, 0], []),
        ] as [([UInt16], MeasurementFlags)])
    func statusWithinACompound_IsTheReadings(_ statuses: [UInt16], _ expected: MeasurementFlags) {
        var manager = PHDBytes.manager([PHDBytes.pressureObject()])
        manager.play(.received(PHDBytes.variable([(1, [Self.compound(statuses), Self.stamped])])))
        #expect(manager.readings.map(\.flags) == [expected])
        #expect(manager.readings.first?.bloodPressure?.systolic == .mmHg(120))
    }

    /// The status belongs to the value, not to the learned form.
    @Test func statusWithinACompound_IsReadAnewInEachReport() {
        var manager = PHDBytes.manager([PHDBytes.pressureObject()])
        for statuses: [UInt16] in [[0, 0, 0], [0x8000, 0, 0], [0, 0, 0], [0, 0x4000, 0]] {
            manager.play(.received(PHDBytes.variable([(1, [Self.compound(statuses)])])))
        }
        #expect(manager.readings.map(\.flags) == [[], .invalid, [], .questionable])
    }

    @Test func statusWithinAPulse_IsTheReadings() {
        var manager = PHDBytes.manager([PHDBytes.pressureObject(), PHDBytes.pulseObject()])
        let pulse: Attribute = (0x0950, PHDBytes.words(18474, 0x4000, 2720, 0, 66))
        manager.play(.received(PHDBytes.variable([(1, [Self.compound([0, 0, 0]), Self.stamped]), (2, [pulse, Self.stamped])])))
        #expect(manager.readings.map(\.flags) == [.questionable])
        #expect(manager.readings.first?.bloodPressure?.pulse == PulseRate(66))
    }

    /// Separate components keep their own status.
    @Test func statusOfAComponent_IsTheComponents() {
        var manager = PHDBytes.manager([PHDBytes.pressureObject()])
        // Kilogram is not a unit of pressure, so this is not a blood pressure.
        let items = [PHDBytes.words(18949, 0x8000, 1731, 0, 120), PHDBytes.words(18950, 0, 1731, 0, 80)]
        manager.play(.received(PHDBytes.variable([(1, [(0x094B, PHDBytes.words(2, 20) + items.flatMap { $0 })])])))
        #expect(manager.readings.map(\.flags) == [.invalid, []])
    }

    @Test func statusOfAnEnumeration_IsTheReadings() {
        var manager = PHDBytes.manager([PHDBytes.pressureObject(), PHDBytes.enumeration(3, partition: 128, term: 22000)])
        let status: Attribute = (0x099E, PHDBytes.words(22000, 0x8000, 16, 2, 0x2000))
        manager.play(.received(PHDBytes.variable([(1, [Self.compound([0, 0, 0]), Self.stamped]), (3, [status, Self.stamped])])))
        #expect(manager.readings.map(\.flags) == [[.invalid, .irregularPulse]])
        // A string of 32 bits: bit 2 is the third from the most significant end.
        let long: Attribute = (0x099E, PHDBytes.words(22000, 0, 16, 4, 0x2000, 0))
        manager.play(.received(PHDBytes.variable([(1, [Self.compound([0, 0, 0])]), (3, [long])])))
        #expect(manager.readings.last?.flags == .irregularPulse)
    }

    /// docs/PHD.md §6.1: FFFF is unknown; every other number is the agent's own.
    @Test(arguments: [(0xFFFF, nil), (0xFFFE, 65534), (0x42, 66), (0, 0)] as [(UInt16, Int32?)])
    func person_IsTheAgentsNumber_OrUnknown(_ person: UInt16, _ user: Int32?) {
        var manager = PHDVectorTests.Manager()
        manager.take(PHDVectorTests.request)
        manager.play(.received(PHDBytes.fixed([(1, PHDBytes.pressures), (2, PHDBytes.pulse)], person: person)))
        #expect(manager.readings.count == 1)
        #expect(manager.readings.first?.user == user)
    }

    @Test func rowWithoutAValue_IsNoReading_AndIsConfirmed() {
        var manager = PHDBytes.manager([PHDBytes.pulseObject(), PHDBytes.enumeration(3, partition: 2, term: 7)])
        manager.play(.received(PHDBytes.variable([(2, [Self.stamped]), (3, [(0xF001, [1, 2])])])))
        #expect(manager.readings.isEmpty)
        #expect(manager.answers() == ["rors"])
        #expect(manager.notes.filter { $0.contains("without any value") }.count == 2)
    }

    /// Special values are missing values with a reason: docs/PHD.md §12.5.
    @Test func notANumber_IsKeptWithItsReason() {
        var manager = PHDBytes.manager([PHDStandardConfiguration.numeric(1, 57664, spec: 0, unit: 1731, map: [(0x0A4C, 2)])])
        manager.play(.received(PHDBytes.fixed([(1, PHDBytes.words(0x07FF))])))
        #expect(manager.quantities.map(\.absence) == [.notANumber])
    }

    @Test func aMetricTwiceInOneList_IsNeither() {
        var manager = PHDBytes.manager([PHDBytes.pressureObject(metrics: [18949, 18949, 18950])])
        manager.play(.received(PHDBytes.fixed([(1, PHDBytes.words(3, 6, 120, 140, 80) + PHDBytes.stamp)])))
        #expect(manager.quantities.map(\.term) == [18950])
        #expect(manager.readings.count == 1)
        #expect(manager.notes.contains { $0.contains("same metric twice") })
        #expect(manager.answers() == ["rors"])
    }

    @Test func aMeanTwiceInOneList_IsNoMean() {
        var manager = PHDBytes.manager([PHDBytes.pressureObject(metrics: [18949, 18950, 18951, 18951]), PHDBytes.pulseObject()])
        let values = PHDBytes.words(4, 8, 120, 80, 93, 95) + PHDBytes.stamp
        manager.play(.received(PHDBytes.fixed([(1, values), (2, PHDBytes.pulse)])))
        #expect(manager.readings.map(\.bloodPressure) == [.mmHg(120, 80, pulse: 64)])
        #expect(manager.notes.contains { $0.contains("same metric twice") })
    }

    @Test func textOfAnEnumeration_ReachesTheReading() {
        var manager = PHDBytes.manager([PHDBytes.enumeration(3, partition: 2, term: 7)])
        let text = Array("after meal".utf8)
        let simple: Attribute = (0x0A4A, PHDBytes.words(UInt16(text.count)) + text)
        let observed: Attribute = (0x099E, PHDBytes.words(7, 0x4000, 2, UInt16(text.count + 2), UInt16(text.count)) + text)
        let bare: Attribute = (0x0A4A, text)
        manager.play(.received(PHDBytes.variable([(3, [simple]), (3, [observed]), (3, [bare])])))
        #expect(manager.readings.map(\.text) == ["after meal", "after meal", "after meal"])
        #expect(manager.readings.map(\.flags) == [[], .questionable, []])
        var line = TextBuffer(capacity: 1)
        if let first = manager.readings.first { ReadingLine().append(first, device: "", to: &line) }
        #expect(line.string.contains(#""text":"after meal""#))
    }

    @Test func longText_IsCut_AndItsBytesAreKept() {
        var manager = PHDBytes.manager([PHDBytes.enumeration(3, partition: 2, term: 7)])
        let text = [UInt8](repeating: 0x61, count: 5000)
        manager.play(.received(PHDBytes.variable([(3, [(0x0A4A, PHDBytes.words(5000) + text)])])))
        #expect(manager.readings.first?.text == String(repeating: "a", count: Reading.longestText))
        #expect(manager.readings.first?.raw.count == 5000 + 12)
    }

    /// A pulse in hertz (2496) is a quantity in hertz, and completes no blood pressure.
    @Test func pulseInHertz_IsNotPerMinute() {
        var manager = PHDBytes.manager([PHDBytes.pressureObject(), PHDBytes.pulseObject(unit: 2496)])
        manager.play(.received(PHDBytes.fixed([(1, PHDBytes.pressures), (2, PHDBytes.pulse)])))
        #expect(manager.readings.compactMap(\.bloodPressure) == [.mmHg(118, 76, mean: 90)])
        #expect(manager.readings.allSatisfy { !$0.isPending })
        #expect(manager.quantities.map(\.unit) == [2496])
        // For one observation only.
        var other = PHDBytes.manager([PHDBytes.pulseObject()])
        other.play(.received(PHDBytes.variable([(2, [(0x0A4C, PHDBytes.words(1)), (0x0996, PHDBytes.words(2496))])])))
        #expect(other.quantities.map(\.unit) == [2496])
    }

    /// Nu-Observed-Value names its metric, which is used.
    @Test func aMetricThatTheValueNames_IsThatMetric() {
        var manager = PHDBytes.manager([PHDBytes.pulseObject()])
        manager.play(.received(PHDBytes.variable([(2, [(0x0950, PHDBytes.words(19292, 0, 6048, 0, 37))])])))
        #expect(manager.quantities.map(\.term) == [19292])
    }

    /// 19.7 and 11.9 are 148/89 mmHg in kilopascals. Values are not corrected; the reading is flagged as impossible.
    @Test func numbersOfAnotherUnit_AreFlagged() {
        let kPa = BloodPressure(
            systolic: Pressure(Digits(mantissa: 197, exponent: -1), .kPa), diastolic: Pressure(Digits(mantissa: 119, exponent: -1), .kPa))
        var mmHg = kPa
        (mmHg.systolic.unit, mmHg.diastolic.unit) = (.mmHg, .mmHg)
        #expect(kPa.isPlausible && !mmHg.isPlausible)
        #expect(BloodPressure.mmHg(40, 20).isPlausible && !BloodPressure.mmHg(39, 20).isPlausible)
        let large = BloodPressure(systolic: Pressure(Digits(41), .kPa), diastolic: Pressure(Digits(20), .kPa))
        #expect(!large.isPlausible)

        var manager = PHDVectorTests.Manager()
        manager.take(PHDVectorTests.request)
        manager.play(.received(PHDBytes.fixed([(1, PHDBytes.words(3, 6, 0xF0C5, 0xF077, 0xF091) + PHDBytes.stamp), (2, PHDBytes.pulse)])))
        #expect(manager.readings.map(\.flags) == [.implausible])
        #expect(manager.readings.first?.bloodPressure?.systolic == mmHg.systolic)
    }
}

import Testing

@testable import CuffCore

/// Systolic, diastolic and mean as single numbers: one flagged blood pressure, unless there is a contradiction.
@Suite struct PHDPressurePartTests {
    private static let stamp = PHDBytes.stamp
    /// 2026-11-20 19:30:00.00
    private static let evening: [UInt8] = [0x20, 0x26, 0x11, 0x20, 0x19, 0x30, 0x00, 0x00]

    private static func number(_ handle: UInt16, _ term: UInt16, unit: UInt16 = 3872) -> [UInt8] {
        PHDStandardConfiguration.numeric(handle, term, spec: 0xF040, unit: unit, map: [(0x0A4C, 2), (0x0990, 8)])
    }

    /// Handles 1, 2, 3 systolic, diastolic, mean; 4 pulse.
    private func manager(meanUnit: UInt16 = 3872, diastolicUnit: UInt16 = 3872) -> PHDVectorTests.Manager {
        PHDBytes.manager([
            Self.number(1, 18949), Self.number(2, 18950, unit: diastolicUnit), Self.number(3, 18951, unit: meanUnit),
            Self.number(4, 18474, unit: 2720),
        ])
    }

    private func report(_ values: [(handle: UInt16, value: UInt16)], _ stamp: [UInt8] = stamp) -> SessionEvent {
        .received(PHDBytes.fixed(values.map { ($0.handle, PHDBytes.words($0.value) + stamp) }))
    }

    private func text(_ readings: [Reading]) -> [String] {
        readings.map { reading in
            let state = reading.isPending ? "pending" : "final \(reading.revision)"
            let flags = reading.flags.rawValue == 0 ? "" : " joined=\(reading.flags.contains(.joined))"
            switch reading.content {
            case .bloodPressure(let pressure):
                let mean = pressure.mean.map { "\($0.digits.mantissa)" } ?? "-"
                let pulse = pressure.pulse.map { "\($0.digits.mantissa)" } ?? "-"
                return "\(pressure.systolic.digits.mantissa)/\(pressure.diastolic.digits.mantissa) \(mean) \(pulse) \(state)\(flags)"
            case .pulseRate(let pulse): return "pulse \(pulse.digits.mantissa) \(state)"
            case .quantity(let quantity): return "quantity \(quantity.term) \(quantity.value?.mantissa ?? -1) \(state)\(flags)"
            case .failure(let failure): return "failed \(failure.reason.word) \(state)"
            }
        }
    }

    @Test func oneReport_IsOneBloodPressure() throws {
        var manager = manager()
        manager.play(report([(1, 124), (2, 79), (3, 94), (4, 66)]))
        #expect(text(manager.readings) == ["124/79 94 66 final 0 joined=true"])
        let reading = try #require(manager.readings.first)
        #expect(reading.flags == [.joined])
        #expect(reading.clock.time?.wallSeconds == DeviceTime(year: 2026, month: 11, day: 20, hour: 7, minute: 10, second: 12).wallSeconds)
        // The bytes of systolic and of diastolic, as sent.
        #expect(reading.raw.array == PHDBytes.words(1, 10, 124) + Self.stamp + PHDBytes.words(2, 10, 79) + Self.stamp)
        manager.take("e40000020000")
        #expect(manager.readings.count == 1)
    }

    @Test func orderWithinAReport_DoesNotMatter() {
        var forwards = manager()
        forwards.play(report([(1, 124), (2, 79), (3, 94), (4, 66)]))
        var backwards = manager()
        backwards.play(report([(4, 66), (3, 94), (2, 79), (1, 124)]))
        #expect(forwards.readings == backwards.readings)
    }

    @Test func withoutAMeanObject_NothingIsWaitedFor() {
        var manager = PHDBytes.manager([Self.number(1, 18949), Self.number(2, 18950)])
        manager.play(report([(1, 124), (2, 79)]))
        #expect(text(manager.readings) == ["124/79 - - final 0 joined=true"])
    }

    @Test func whatComesLater_AmendsTheSameReading() {
        var manager = manager()
        manager.play(report([(1, 131), (2, 85)], Self.evening))
        #expect(text(manager.readings) == ["131/85 - - pending joined=true"])
        manager.play(report([(3, 100), (4, 72)], Self.evening))
        #expect(text(manager.readings).last == "131/85 100 72 final 3 joined=true")
        #expect(manager.readings.first?.raw == manager.readings.last?.raw)
        manager.take("e40000020000")
        #expect(manager.readings.count == 2)
    }

    /// 124/79 still lacks its mean when 150/95 comes with one.
    @Test func mean_GoesToThePressuresOfItsReport() {
        for next in [[(1, 150), (2, 95), (3, 110)], [(3, 110), (1, 150), (2, 95)]] as [[(handle: UInt16, value: UInt16)]] {
            var manager = manager()
            manager.play(report([(1, 124), (2, 79)]))
            manager.play(report(next))
            manager.take("e40000020000")
            let final = text(manager.readings.filter { !$0.isPending }).map { $0.prefix(10) }
            #expect(Set(final) == ["124/79 - -", "150/95 110"])
        }
    }

    @Test func halvesOfTwoReports_AreJoined() {
        var manager = manager()
        manager.play(report([(1, 131), (4, 72)]))
        #expect(text(manager.readings) == ["quantity 18949 131 pending", "pulse 72 pending"])
        manager.play(report([(2, 85), (3, 100)]))
        #expect(text(manager.readings).last?.hasPrefix("131/85 100 72 final") == true)
        manager.take("e40000020000")
        #expect(manager.readings.count == 3)
    }

    @Test func otherStamps_AreNotJoined() {
        var manager = manager()
        manager.play(report([(1, 131)]))
        manager.play(report([(2, 85)], Self.evening))
        manager.take("e40000020000")
        #expect(manager.readings.allSatisfy { $0.bloodPressure == nil })
        #expect(text(manager.readings.filter { !$0.isPending }) == ["quantity 18949 131 final 1", "quantity 18950 85 final 1"])
    }

    @Test func otherPersons_AreNotJoined() {
        var manager = manager()
        manager.play(.received(PHDBytes.fixed([(1, PHDBytes.words(131) + Self.stamp)], person: 1)))
        manager.play(.received(PHDBytes.fixed([(2, PHDBytes.words(85) + Self.stamp)], person: 2)))
        manager.take("e40000020000")
        #expect(manager.readings.allSatisfy { $0.bloodPressure == nil })
    }

    @Test func twoOfOneStamp_StayWhatTheyAre() {
        var manager = manager()
        manager.play(report([(1, 118), (1, 121), (2, 76)]))
        manager.take("e40000020000")
        let final = manager.readings.filter { !$0.isPending }
        #expect(text(final).sorted() == ["quantity 18949 118 final 1", "quantity 18949 121 final 1", "quantity 18950 76 final 1"])
    }

    @Test func theSameAgain_IsNoSecondReading() {
        var manager = manager()
        manager.play(report([(1, 124), (2, 79), (3, 94), (4, 66)]))
        manager.take("e60000020002")  // the confirmation was lost, and the agent gave up
        manager.play(.received(PHDSimulatedCuff(["configuration": "extended"]).associationRequest))
        manager.play(report([(1, 124), (2, 79), (3, 94), (4, 66)]))
        manager.take("e40000020000")
        #expect(Set(manager.readings.map { $0.raw.array }).count == 1)
    }

    @Test func otherUnits_AreNotJoined() {
        var mixed = manager(diastolicUnit: 3843)
        mixed.play(report([(1, 124), (2, 79)]))
        mixed.take("e40000020000")
        #expect(mixed.readings.allSatisfy { $0.bloodPressure == nil } && mixed.quantities.count == 4)
        // A mean in another unit stays a separate quantity.
        var mean = manager(meanUnit: 3843)
        mean.play(report([(1, 124), (2, 79), (3, 94)]))
        mean.take("e40000020000")
        let final = mean.readings.filter { !$0.isPending }
        #expect(final.compactMap { $0.bloodPressure?.systolic.digits.mantissa } == [124])
        #expect(final.first { $0.bloodPressure != nil }?.bloodPressure?.mean == nil)
    }

    /// NaN for both is a failed measurement; for one, the other stays a quantity.
    @Test func absentNumbers_AreFailures() {
        var none = manager()
        none.play(report([(1, 0x07FF), (2, 0x07FF), (3, 0x07FF), (4, 0x07FF)]))
        none.take("e40000020000")
        #expect(text(none.readings.filter { !$0.isPending }).contains { $0.hasPrefix("failed no_value") })
        #expect(none.readings.allSatisfy { $0.bloodPressure == nil })
        var half = manager()
        half.play(report([(1, 124), (2, 0x07FF)]))
        half.take("e40000020000")
        let final = text(half.readings.filter { !$0.isPending })
        #expect(
            final.contains { $0.hasPrefix("failed diastolic_not_found") } && final.contains { $0.hasPrefix("quantity 18949 124") },
            "\(final)")
    }

    /// As many systolic values as a report holds, without partners: emitted in bounded time.
    @Test func thousandsOfHalves_AreBounded() {
        var manager = manager()
        let values = (0..<4000).map { (handle: UInt16(1), value: UInt16($0 % 200 + 60)) }
        manager.play(report(values))
        manager.take("e40000020000")
        #expect(manager.readings.allSatisfy { $0.bloodPressure == nil } && !manager.readings.isEmpty)
    }

    /// A pulse that came first is removed with its pressures: what follows them is examined all the same.
    @Test func twoMeasurementsOfOneReport_AreBothJoined() {
        let (first, second) = (Self.stamp, Self.evening)
        func value(_ handle: UInt16, _ value: UInt16, _ stamp: [UInt8]) -> (handle: UInt16, bytes: [UInt8]) {
            (handle, PHDBytes.words(value) + stamp)
        }
        var manager = manager()
        manager.play(
            .received(
                PHDBytes.fixed([
                    value(4, 64, first), value(2, 76, first), value(3, 90, first), value(1, 118, first),
                    value(1, 128, second), value(2, 86, second), value(3, 99, second), value(4, 70, second),
                ])))
        #expect(text(manager.readings) == ["118/76 90 64 final 0 joined=true", "128/86 99 70 final 0 joined=true"])
    }

    @Test(arguments: [(1, 131), (2, 85), (3, 100)] as [(UInt16, UInt16)])
    func aPartThatIsRepeated_IsNoOtherMeasurement(_ handle: UInt16, _ value: UInt16) {
        var manager = manager()
        manager.play(report([(1, 131), (2, 85)]))
        manager.play(report([(3, 100), (4, 72)]))
        let before = manager.readings.count
        manager.play(report([(handle, value)]))
        manager.take("e40000020000")
        #expect(manager.readings.dropFirst(before).allSatisfy { $0.bloodPressure != nil }, "\(text(manager.readings))")
        #expect(Set(manager.readings.map(\.raw)).count == 1)
    }
}

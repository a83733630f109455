import Foundation
import Testing

@testable import CuffCore

/// The parts of one measurement are joined, in any order and number of reports.
@Suite struct PHDJoiningTests {
    private let cuff = PHDSimulatedCuff(["report": "apart"])
    private let withStatus = PHDSimulatedCuff(["status": "yes"])

    private func record(_ systolic: Int, _ diastolic: Int, pulse: Int, minute: Int = 0) -> SimulatedRecord {
        SimulatedRecord(
            systolic, diastolic, mean: diastolic + 10, pulse: pulse,
            time: DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: minute, second: 0))
    }

    private func manager() -> PHDVectorTests.Manager {
        var manager = PHDVectorTests.Manager()
        manager.take(PHDVectorTests.request)
        return manager
    }

    /// Reports of pressures (0) and pulses (1) of some records.
    private func send(_ part: Int, _ records: [SimulatedRecord], to manager: inout PHDVectorTests.Manager, number: UInt16) {
        manager.play(.received(cuff.report(invoke: 0x1000 + number, number: number, cuff.reportBodies(records)[part])))
    }

    private func text(_ readings: [Reading]) -> [String] {
        readings.map { reading in
            let state = reading.isPending ? "pending" : "final \(reading.revision)"
            switch reading.content {
            case .bloodPressure(let pressure):
                return
                    "\(pressure.systolic.digits.mantissa)/\(pressure.diastolic.digits.mantissa) \(pressure.pulse?.digits.mantissa ?? 0) \(state)"
            case .pulseRate(let pulse): return "pulse \(pulse.digits.mantissa) \(state)"
            case .quantity(let quantity): return "quantity \(quantity.term) \(state)"
            case .failure(let failure): return "failed \(failure.reason.word) \(state)"
            }
        }
    }

    @Test func pressuresThenPulses_InAnyOrder() {
        var manager = manager()
        let records = [record(120, 80, pulse: 60, minute: 1), record(130, 85, pulse: 70, minute: 2)]
        send(0, records, to: &manager, number: 0)
        #expect(text(manager.readings) == ["120/80 0 pending", "130/85 0 pending"])
        send(1, records.reversed(), to: &manager, number: 1)
        #expect(text(manager.readings).suffix(2).sorted() == ["120/80 60 final 2", "130/85 70 final 2"])
        // The id depends on what does not change: the pressures' own bytes.
        #expect(manager.readings[0].raw == manager.readings[2].raw || manager.readings[0].raw == manager.readings[3].raw)
        manager.take("e40000020000")
        #expect(manager.readings.count == 4)
    }

    @Test func pulseBeforeItsPressures() {
        var manager = manager()
        send(1, [record(120, 80, pulse: 60)], to: &manager, number: 0)
        #expect(text(manager.readings) == ["pulse 60 pending"])
        send(0, [record(120, 80, pulse: 60)], to: &manager, number: 1)
        manager.take("e40000020000")
        #expect(text(manager.readings) == ["pulse 60 pending", "120/80 60 final 2"])
    }

    @Test func whatNeverComes_IsSettledAtRelease() {
        var manager = manager()
        send(0, [record(120, 80, pulse: 60, minute: 1)], to: &manager, number: 0)
        send(1, [record(130, 85, pulse: 70, minute: 2)], to: &manager, number: 1)
        manager.take("e40000020000")
        #expect(text(manager.readings) == ["120/80 0 pending", "pulse 70 pending", "120/80 0 final 1", "pulse 70 final 1"])
    }

    @Test func lostConfirmation_RepeatsNothing_AndALatePulseStillCounts() {
        var manager = manager()
        let records = [record(120, 80, pulse: 60)]
        send(0, records, to: &manager, number: 0)
        manager.take("e60000020002")  // the agent gave up: settled without a pulse
        #expect(text(manager.readings).last == "120/80 0 final 1")
        manager.take(PHDVectorTests.request)
        send(0, records, to: &manager, number: 0)
        send(1, records, to: &manager, number: 1)
        #expect(text(manager.readings).last == "120/80 60 final 2")
        manager.take("e60000020002")
        manager.take(PHDVectorTests.request)
        let before = manager.readings.count
        send(1, records, to: &manager, number: 0)
        manager.take("e40000020000")
        #expect(manager.readings.count == before, "\(text(manager.readings))")
        // Every report was confirmed, repeated or not.
        #expect(manager.writes.filter { $0.hasPrefix("e70000120010") }.count == 4)
    }

    @Test func sameMinute_DifferentValues_AreTwoReadings() {
        var manager = manager()
        let records = [record(120, 80, pulse: 60), record(125, 82, pulse: 60)]
        send(0, records, to: &manager, number: 0)
        send(1, records, to: &manager, number: 1)
        #expect(text(manager.readings).suffix(2) == ["120/80 60 final 2", "125/82 60 final 2"])
    }

    /// Under a stamp without seconds it may be another measurement; see `PHDListedTwiceTests`.
    @Test func sameObservationTwiceInOneReport_IsTwoReadings() {
        var manager = manager()
        let one = PHDSimulatedCuff([:])
        manager.play(
            .received(one.report(invoke: 1, number: 0, one.reportBodies([record(120, 80, pulse: 60), record(120, 80, pulse: 60)])[0])))
        manager.take("e40000020000")
        #expect(text(manager.readings) == ["120/80 60 final 0", "120/80 60 final 0"])
        #expect(manager.readings.map(\.occurrence) == [0, 1])
        #expect(Set(manager.readings.map { $0.raw.array }).count == 1)
    }

    @Test func lateStatus_AmendsWhatIsFinal() throws {
        var manager = PHDVectorTests.Manager()
        manager.play(.received(withStatus.associationRequest))
        manager.play(.received(withStatus.configurationReport(invoke: 1, id: 0x4000)))
        let whole = withStatus.reportBodies([record(120, 80, pulse: 60)])[0]
        // The same report without its status, then the status alone: three observations of 22, 14 and 14 bytes.
        let pressures = [0, 2, 0, 0x24] + Array(whole[4..<40])
        let status = [0, 1, 0, 0x0E] + Array(whole[40..<54])
        manager.play(.received(withStatus.report(invoke: 2, number: 0, Array(pressures))))
        #expect(text(manager.readings) == ["120/80 60 final 0"])
        var irregular = Array(status)
        irregular[8] = 0x20
        manager.play(.received(withStatus.report(invoke: 3, number: 1, irregular)))
        #expect(text(manager.readings) == ["120/80 60 final 0", "120/80 60 final 3"])
        #expect(manager.readings.last?.flags == [.irregularPulse])
    }

    @Test func endlessPressuresWithoutPulse_AreSettledNotHeaped() {
        var manager = manager()
        for minute in 0..<400 {
            let time = DeviceTime(wallSeconds: 1_777_000_000 + Int64(minute) * 60)
            let one = SimulatedRecord(120, 80, mean: 93, pulse: 60, time: time)
            send(0, [one], to: &manager, number: UInt16(minute))
        }
        #expect(manager.readings.filter { !$0.isPending }.count >= 400 - PHDJoiner.ceiling)
        manager.take("e40000020000")
        #expect(manager.readings.filter { !$0.isPending }.count == 400)
    }

    @Test func anotherAgent_CompletesNothingOfTheFirst() {
        var manager = manager()
        send(0, [record(120, 80, pulse: 60)], to: &manager, number: 0)
        manager.take("e40000020000")
        manager.take(PHDVectorTests.request.replacingOccurrences(of: "00091ffffe000101", with: "00091ffffe000202"))
        send(1, [record(120, 80, pulse: 60)], to: &manager, number: 0)
        manager.take("e40000020000")
        #expect(text(manager.readings) == ["120/80 0 pending", "120/80 0 final 1", "pulse 60 pending", "pulse 60 final 1"])
    }
}

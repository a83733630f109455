import Foundation
import Testing

@testable import CuffCore

/// The shared vectors that are tables rather than conversations, and every `must` sentence of the others.
@Suite struct PHDVectorTests {
    /// A live manager with an association under standard configuration 700; its writes count as sent.
    struct Manager {
        var session: PHDSession
        var writes: [String] = []
        var readings: [Reading] = []
        var actions = SessionActions()
        var commits = true

        init(_ command: SessionCommand = .follow, options: [String: String] = [:]) {
            session = PHDSession(SessionContext(options: options))
            play(.opened)
            play(.command(command))
        }

        mutating func play(_ event: SessionEvent) {
            let done = session.handle(event)
            actions += done
            var emitted = 0
            for action in done {
                switch action {
                case .write(let bytes):
                    writes.append(Hex.text(bytes, separator: ""))
                    play(.sent(bytes))
                case .emit(let reading):
                    readings.append(reading)
                    emitted += 1
                default: break
                }
            }
            if emitted > 0 && commits { play(.committed(through: readings.count)) }
        }

        mutating func take(_ hex: String) { play(.received(Hex.bytes(hex) ?? [])) }

        /// The answers since, in the vectors' notation: `rors`, `rorj:2`, `roer:9`, `abort`, `rlre`.
        mutating func answers() -> [String] {
            defer { writes = [] }
            return writes.compactMap { text in
                let bytes = Hex.bytes(text) ?? []
                let code = Int(bytes.last ?? 0)
                switch (bytes.first, bytes.count > 9 ? bytes[8] : 0) {
                case (0xE6, _): return "abort"
                case (0xE5, _): return "rlre"
                case (0xE7, 2): return "rors"
                case (0xE7, 3): return "roer:\(bytes.count > 13 ? Int(bytes[13]) : -1)"
                case (0xE7, 4): return "rorj:\(code)"
                default: return nil
                }
            }
        }
    }

    static let request = "e2000032800000000001002a50790026800000008000800000000000000000800000000800091ffffe00010102bc0001010000000000"

    @Test func associationRequests_GetTheResultTheyMust() throws {
        guard let table = PHDVectors.json("aarq-variants"), let rows = table["apdus"] as? [[String: Any]] else { return }
        let lines = PHDVectors.lines("aarq-variants").filter(\.fromCuff)
        #expect(lines.count == rows.count && rows.count > 10)
        for (line, row) in zip(lines, rows) {
            let expect = try #require(row["expect"] as? [String: Any])
            var allowed = expect["also_ok"] as? [Int] ?? []
            allowed.append(try #require(expect["aare_result"] as? Int))
            // The table refuses an agent of version 2 alone. It is accepted as one of version 1, because otherwise its readings would be
            // lost.
            if line.bytes.span.bigEndian32(16).map({ $0 & 0x8000_0000 == 0 && $0 & 0x7000_0000 != 0 }) ?? false { allowed = [0, 3] }
            var manager = Manager()
            manager.play(.received(line.bytes))
            let answer = Hex.bytes(try #require(manager.writes.first)) ?? []
            #expect(answer.prefix(2) == [0xE3, 0] && allowed.contains(Int(answer[5])), "\(Hex.text(line.bytes)) got \(manager.writes)")
            // One protocol version, only MDER, and nothing of the agent's own fields.
            if answer.count > 20, answer[5] == 0 || answer[5] == 3 {
                #expect(answer[10].nonzeroBitCount == 1)
                #expect(Array(answer[11..<16]) == [0, 0, 0, 0x80, 0])
            }
        }
    }

    /// Every APDU marked readable in a vector must decode as described.
    @Test(arguments: ["antidote-abort-release-apdus", "accuchek-aarq", "novopen-xdripswift-12entries", "bp-pmstore-full", "bp-std-known"])
    func apdus_AreRead(_ name: String) throws {
        guard let table = PHDVectors.json(name), let rows = table["apdus"] as? [[String: Any]] else { return }
        let lines = PHDVectors.lines(name)
        #expect(lines.count == rows.count)
        for (line, row) in zip(lines, rows) {
            let text = PHDExplanation.lines(line.bytes).joined(separator: "\n")
            let kind = row["apdu"] as? String ?? ""
            #expect(text.contains(kind), "\(kind) not in:\n\(text)")
            if let id = row["system_id"] as? String, kind == "AARQ" { #expect(text.contains(id)) }
            if let invoke = row["invoke"] as? Int { #expect(text.contains("invoke-id") && text.contains("\(invoke)")) }
            #expect(!text.contains("malformed"), "\(text)")
        }
    }

    @Test func malformed_IsAnsweredAsAllowed_AndGivesNoReading() throws {
        guard let table = PHDVectors.json("malformed-apdus"), let rows = table["apdus"] as? [[String: Any]] else { return }
        let lines = PHDVectors.lines("malformed-apdus")
        #expect(lines.count == rows.count)
        var checked = 0
        for (line, row) in zip(lines, rows).dropFirst(2) {
            let expect = try #require(row["expect"] as? [String: Any])
            let allowed = try #require(expect["allowed"] as? [String])
            var manager = Manager()
            manager.take(Self.request)
            _ = manager.answers()
            manager.play(.received(line.bytes))
            let answers = manager.answers()
            let said = answers.isEmpty && manager.session.state == .unassociated ? ["treat-as-abort"] : answers
            #expect(said.count == 1 && allowed.contains(said[0]), "\(Hex.text(line.bytes)) got \(said), allowed \(allowed)")
            #expect(manager.readings.isEmpty)
            // The association survives, or ended as listed; the next one works.
            if manager.session.state == .unassociated { manager.take(Self.request) }
            manager.take(PHDStateTableTests.report)
            #expect(manager.readings.count == 1, "after \(Hex.text(line.bytes))")
            checked += 1
        }
        #expect(checked == rows.count - 2)
    }

    @Test(arguments: ["malformed-opentele-lengths", "malformed-universaal-10408", "malformed-annexh-spo2-config"])
    func otherMalformedSessions_GiveNoReading_AndAreNotConfirmed(_ name: String) {
        var manager = Manager()
        for line in PHDVectors.lines(name) where line.fromCuff { manager.play(.received(line.bytes)) }
        #expect(manager.readings.isEmpty)
        #expect(!manager.writes.contains { $0.hasPrefix("e7000012001010000201") })
        if PHDVectors.folder != nil, name == "malformed-opentele-lengths" {
            #expect(manager.writes.contains("e700000a00081000040000020002"))
        }
    }

    private func play(_ name: String, _ command: SessionCommand = .follow) -> Manager? {
        let lines = PHDVectors.lines(name)
        guard !lines.isEmpty else { return nil }
        var manager = Manager(command)
        for line in lines where line.fromCuff { manager.play(.received(line.bytes)) }
        return manager
    }

    @Test func unconfirmedReports_GetNoAnswer() {
        guard let manager = play("nonin-onyx-unconfirmed") else { return }
        #expect(manager.readings.count == 2)
        #expect(!manager.writes.contains { $0.hasPrefix("e700001200103480") })
    }

    @Test func invalidTime_IsStillConfirmed() {
        guard let manager = play("fsl-scale-bad-bcd") else { return }
        #expect(manager.readings.count == 4)
        #expect(manager.readings.allSatisfy { $0.clock == .impossible(nil) })
        #expect(manager.writes.contains("e7000012001012360201000a0000ffffffff0d1d0000"))
    }

    @Test func failedMeasurement_IsAnEventAndConfirmed() {
        guard let manager = play("bp-special-values") else { return }
        #expect(
            manager.readings.filter { if case .failure(let failure) = $0.content { failure.reason == .noValue } else { false } }.count == 2)
        for invoke in ["0001", "0002", "0003"] { #expect(manager.writes.contains("e70000120010\(invoke)0201000a0000ffffffff0d1d0000")) }
        #expect(manager.readings.last?.clock == .unset)
    }

    @Test func twoPersons_AreTwoReadings() {
        guard let manager = play("bp-mpfixed-two-persons") else { return }
        // FFFF is not a user (docs/PHD.md §6.1); the vector's own list of readings has it as one.
        #expect(manager.readings.map(\.user) == [1, 2, nil])
    }

    @Test func privateMetric_IsOpaque() {
        guard let manager = play("bp-mpfixed-vendor-metric") else { return }
        let quantities = manager.readings.compactMap { if case .quantity(let quantity) = $0.content { quantity } else { nil } }
        #expect(quantities == [Quantity(partition: 2, term: 0xF0AA, value: Digits(1), unit: 512)])
    }

    @Test func unitOverride_LastsForOneObservation() {
        guard let manager = play("bp-scanvar-kpa-status") else { return }
        let pressures = manager.readings.compactMap(\.bloodPressure)
        #expect(pressures.first?.systolic == Pressure(Digits(mantissa: 157, exponent: -1), .kPa))
        #expect(pressures.last?.systolic == Pressure(Digits(120), .mmHg))
        #expect(manager.readings.first?.flags.isSuperset(of: [.irregularPulse, .questionable]) == true)
    }

    @Test func weights_AreNoBloodPressure_AndTheirUnitIsTheReports() {
        guard let manager = play("and-uc321pbtc-scale-kg") else { return }
        let quantities = manager.readings.compactMap { if case .quantity(let quantity) = $0.content { quantity } else { nil } }
        #expect(quantities.map { $0.value?.value ?? 0 } == [2.4, 72.4, 2.2, 88.8, 12.6])
        #expect(quantities.allSatisfy { $0.unit == 1731 && $0.mdc == 2 << 16 | 57664 })
    }

    @Test func handleOutsideTheConfiguration_IsCountedNotRead() {
        guard let manager = play("antidote-weightscale") else { return }
        #expect(manager.readings.count == 6)  // handle 1, twice per report; the second of each is a repetition
        #expect(manager.actions.contains { if case .report(.warning(let text)) = $0 { text.hasPrefix("2 observations") } else { false } })
    }

    @Test func groupedReports_AreCutWithTheScannersMap() {
        guard let manager = play("antidote-spo2-scanners") else { return }
        let grouped = manager.readings.filter { if case .time(let time) = $0.clock { time.year == 2010 } else { false } }
        #expect(grouped.count == 4)
        #expect(!manager.writes.contains { $0.hasPrefix("e700001200101239") })  // the unconfirmed ones
        #expect(manager.writes.contains("e70000120010000c0201000a0037ffffffff0d240000"))
    }

    @Test func trailingBytes_AreFlaggedAndNotShifted() {
        guard let manager = play("antidote-spo2-0190-extra-bytes") else { return }
        #expect(manager.readings.count == 2 && manager.readings.allSatisfy { $0.flags.contains(.trailingBytes) })
    }

    @Test func deviceClock_IsToldWhenTheAgentWasAsked() {
        let lines = PHDVectors.lines("bp-settime")
        guard !lines.isEmpty else { return }
        var session = PHDSession(SessionContext())
        var clocks: [DeviceTime] = []
        for line in lines {
            for action in session.handle(line.fromCuff ? .received(line.bytes) : .sent(line.bytes)) {
                if case .clock(let time) = action { clocks.append(time) }
            }
        }
        #expect(clocks == [DeviceTime(year: 2000, month: 1, day: 1, hour: 0, minute: 0, second: 7, hundredths: 0)])
    }

    @Test func unansweredSetTime_DoesNotStopReadings() {
        var manager = Manager(.setClock(DeviceTime(year: 2026, month: 11, day: 21, hour: 9, minute: 0, second: 0)))
        manager.take(Self.request)
        manager.play(.timerFired(.response))  // GET MDS
        #expect(manager.writes.last?.contains("0c17000c") == true)
        manager.take(PHDStateTableTests.report)
        #expect(manager.readings.count == 1)
        manager.play(.timerFired(.response))
        #expect(!manager.writes.contains { $0.hasPrefix("e6") })
        #expect(manager.writes.last == "e40000020000")
    }

    @Test func hugeLength_IsAbortedAtOnce() {
        guard let manager = play("stream-oversize-length") else { return }
        #expect(manager.writes.contains("e60000020001"))
        #expect(manager.session.reader.waiting < 64)
    }

    @Test func garbage_IsAbortedAndTheNextAssociationWorks() {
        guard let manager = play("stream-garbage-in-operating") else { return }
        #expect(manager.writes.contains("e60000020000"))
        #expect(manager.readings.count == 2)
        #expect(manager.readings[0].raw == manager.readings[1].raw)
    }

    @Test func repeatedSegmentEvents_AreTwoReadings() {
        guard let file = CaptureFile.shared.first(where: { $0.url.lastPathComponent == "bp-pmstore-retry-abort.hex" }) else { return }
        #expect(Played(file.items, driver: .phd).lines.count == 2)
    }
}

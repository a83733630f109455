import CuffClinical
import CuffCore
import Foundation
import Testing

@testable import CuffIngest

/// Receives readings and alerts but no other live events, as a sink with an outbox.
private final class AlertSink: ReadingSink {
    let label = "for-alerts"
    let takesAlerts = true
    private let state = Locked<[AlertNotice]>([])
    let arrivals = Mailbox<Int>()

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        let notices = batch.entries.compactMap { entry -> AlertNotice? in
            if case .live(.alert(let notice), _, _) = entry { notice } else { nil }
        }
        state.withLock { $0 += notices }
        for _ in notices { arrivals.post(1) }
        return 0
    }

    var notices: [AlertNotice] { state.withLock { $0 } }
}

/// The alerts of a watch with pipeline, file, database, and a clock set by the test.
private final class Rig {
    let folder: TestFolder
    let alerts: WatchAlerts
    let pipeline: Pipeline
    let lines = MemorySink()
    let readingsOnly = MemorySink(takesLiveEvents: false)
    let sink = AlertSink()
    let told = Locked<[String]>([])
    private let clock: Locked<Timestamp>
    static let start = Timestamp(seconds: 1_777_968_000)

    init(_ rules: [AlertRule], folder: TestFolder, databases: [String] = [], hidesReadings: Bool = false, minute: Int64 = 0) {
        self.folder = folder
        let clock = Locked(Timestamp(seconds: Self.start.seconds + minute * 60))
        self.clock = clock
        let told = told
        alerts = WatchAlerts(
            rules, household: Household(), file: folder.file("alerts"), databases: databases,
            hidesReadings: hidesReadings, now: { clock.withLock { $0 } }, notify: { text in told.withLock { $0.append(text) } })
        pipeline = Pipeline(
            [Pipeline.Member(lines), Pipeline.Member(readingsOnly), Pipeline.Member(sink), Pipeline.Member(alerts)], policy: .retry)
        alerts.attach(to: pipeline)
    }

    func at(_ minute: Int64) { clock.withLock { $0 = Timestamp(seconds: Self.start.seconds + minute * 60) } }

    static func reading(_ number: UInt64, _ systolic: Int, at minute: Int64) -> Reading {
        var reading = Reading(.bloodPressure(.mmHg(systolic, 80)), driver: "r1", origin: .push, raw: RawBytes([1]))
        reading.measured = Timestamp(seconds: start.seconds + minute * 60)
        (reading.received, reading.rule) = (reading.measured, .receiveTime)
        reading.id = Reading.ID(wallSeconds: start.seconds + minute * 60, hash: number)
        return reading
    }

    /// Every sink has the reading and its consequences.
    func hear(_ reading: Reading) async throws {
        let before = readingsOnly.batches.count
        if let measured = reading.measured { clock.withLock { $0 = measured } }
        pipeline.submit(ReadingBatch(source: 77, driver: "r1", device: "hallway", entries: [.reading(reading)]))
        #expect(
            try await eventuallyTrue { self.readingsOnly.batches.count > before && self.pipeline.inner.withLock { $0.state.isDrained } })
    }

    var changes: [String] { sink.notices.map(\.change.rawValue) }
}

private func eventuallyTrue(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<1000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
    return condition()
}

private func high(repeated: AlertRule.Repeated? = nil) throws -> AlertRule {
    AlertRule(name: "high", trigger: .values(try AlertCondition("systolic >= 180"), clear: nil, repeated: repeated))
}

@Suite(.timeLimit(.minutes(5))) struct WatchAlertTests {
    @Test func alerts_GoTheWayOfReadings_ToSinksThatTakeThem() async throws {
        let rig = Rig([try high()], folder: TestFolder())
        try await rig.hear(Rig.reading(1, 190, at: 1))
        try await rig.hear(Rig.reading(2, 150, at: 3))
        #expect(rig.changes == ["raised", "cleared"])
        let live = rig.lines.batches.flatMap(\.entries).filter { if case .live(.alert, _, _) = $0 { true } else { false } }
        #expect(live.count == 2, "a sink of lines takes them as live events")
        #expect(rig.readingsOnly.batches.allSatisfy { $0.entries.alertCount == 0 && $0.readings == 1 })
        #expect(rig.told.withLock { $0 }.first?.hasPrefix("alert: high (systolic >= 180): 190/80 mmHg") == true)
        try rig.pipeline.finish()
    }

    /// The journal is read by others than the person.
    @Test func inTheJournal_AlertsHaveNoPressuresAndNoPerson() async throws {
        let rig = Rig([try high()], folder: TestFolder(), hidesReadings: true)
        try await rig.hear(Rig.reading(1, 190, at: 1))
        try await rig.hear(Rig.reading(2, 150, at: 3))
        #expect(
            rig.told.withLock { $0 } == ["alert: high (systolic >= 180) raised, hallway", "alert: high (systolic >= 180) cleared, hallway"])
        #expect(rig.sink.notices.first?.text.contains("190/80 mmHg") == true)
        try rig.pipeline.finish()
    }

    @Test func aRestart_RaisesNothingAgain_AndItsFileIsPrivate() async throws {
        let folder = TestFolder()
        let first = Rig([try high()], folder: folder)
        try await first.hear(Rig.reading(1, 190, at: 1))
        #expect(first.changes == ["raised"])
        try first.pipeline.finish()
        #expect(folder.mode("alerts") == 0o600)
        let second = Rig([try high()], folder: folder, minute: 2)
        try await second.hear(Rig.reading(1, 190, at: 1))
        try await second.hear(Rig.reading(2, 191, at: 3))
        #expect(second.changes.isEmpty)
        try await second.hear(Rig.reading(3, 120, at: 5))
        #expect(second.changes == ["cleared"])
        try second.pipeline.finish()
    }

    @Test func aDeletedReading_IsNoHalfOfAPair_AndTakesItsAlertAlong() async throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let store = try Store(path, access: .write)
        let sink = try SQLiteSink(path: path)
        let rig = Rig([try high(repeated: .standard)], folder: folder, databases: [path])
        func keep(_ reading: Reading) throws {
            _ = try sink.write(ReadingBatch(source: 1, driver: "r1", device: "hallway", entries: [.reading(reading)]))
        }
        func delete(_ reading: Reading) throws {
            var selection = ReadingSelection(zone: .utc)
            selection.ids = [reading.id]
            #expect(try store.delete(selection) == 1)
        }
        let readings = (0..<5).map { Rig.reading(UInt64($0 + 1), 190, at: Int64($0) * 3) }
        try keep(readings[0])
        try await rig.hear(readings[0])
        try delete(readings[0])
        try keep(readings[1])
        try await rig.hear(readings[1])
        #expect(rig.changes.isEmpty, "the first half was deleted")
        try keep(readings[2])
        try await rig.hear(readings[2])
        #expect(rig.changes == ["raised"])
        try delete(readings[2])
        // The cuff sends the deleted reading again.
        rig.at(8)
        try await rig.hear(readings[2])
        #expect(rig.changes == ["raised", "cleared"])
        #expect(rig.sink.notices.last?.pressure == nil)
        try rig.pipeline.finish()
    }

    /// An alert is about the person whose reading it is now: after `cuff edit --user`, and after a slot was bound to another person.
    @Test func aReadingOfAnotherPerson_TakesItsAlertAlong() async throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let store = try Store(path, access: .write)
        let sink = try SQLiteSink(path: path)
        func household(_ name: String) -> Household {
            var household = Household()
            household.bind(name, to: "hallway")
            return household
        }
        let rig = Rig([try high()], folder: folder, databases: [path])
        rig.alerts.reload([try high()], household("Anna"))
        func hear(_ reading: Reading) async throws {
            _ = try sink.write(ReadingBatch(source: 1, driver: "r1", device: "hallway", entries: [.reading(reading)]))
            try await rig.hear(reading)
        }
        try await hear(Rig.reading(1, 190, at: 1))
        #expect(rig.changes == ["raised"] && rig.alerts.standing.map(\.person) == ["Anna"])
        #expect(try store.move(Rig.reading(1, 190, at: 1).id, to: "Ben"))
        try await hear(Rig.reading(2, 150, at: 2))
        #expect(rig.changes == ["raised", "cleared", "raised"] && rig.alerts.standing.map(\.person) == ["Ben"])
        #expect(rig.sink.notices.last?.person == "Ben" && rig.sink.notices.last?.readings == [Rig.reading(1, 190, at: 1).id])
        let text = rig.sink.notices[1].text
        #expect(text.hasSuffix("is another person's now") && !text.contains("Anna") && !text.contains("Ben"))

        try await hear(Rig.reading(3, 191, at: 4))
        #expect(rig.alerts.standing.map(\.person) == ["Anna", "Ben"])
        rig.alerts.reload([try high()], household("Carla"))
        #expect(try await eventuallyTrue { rig.alerts.standing.map(\.person) == ["Carla", "Ben"] })
        #expect(try await eventuallyTrue { rig.changes.suffix(3) == ["raised", "cleared", "raised"] }, "without another reading")
        try rig.pipeline.finish()

        // Bound while no watch ran; an hour later the reading raises no alert any more.
        let second = Rig([try high()], folder: folder, databases: [path], minute: 90)
        second.alerts.reload([try high()], household("Dora"))
        #expect(try await eventuallyTrue { second.changes == ["cleared"] && second.alerts.standing.count == 1 }, "Ben's stays")
        try second.pipeline.finish()
    }

    /// As on SIGHUP: the watch started without any rule.
    @Test func theFirstRule_WorksWithoutARestart() async throws {
        let folder = TestFolder()
        let rig = Rig([], folder: folder)
        try await rig.hear(Rig.reading(1, 190, at: 1))
        #expect(rig.changes.isEmpty && !FileManager.default.fileExists(atPath: folder.file("alerts")), "nothing is kept without rules")
        rig.alerts.reload([try high()], Household())
        try await rig.hear(Rig.reading(1, 190, at: 1))
        #expect(rig.changes.isEmpty, "the reading was there before the rule")
        try await rig.hear(Rig.reading(2, 191, at: 3))
        #expect(rig.changes == ["raised"])
        #expect(rig.alerts.standing.map(\.rule) == ["high"] && folder.mode("alerts") == 0o600)
        rig.alerts.reload([], Household())
        #expect(try await eventuallyTrue { rig.alerts.standing.isEmpty })
        try rig.pipeline.finish()
    }

    @Test func readingsWithoutRules_AreHandledTogether_AndKnownToALaterRule() async throws {
        let rig = Rig([], folder: TestFolder(), minute: 1)
        func batch(_ number: UInt64) -> ReadingBatch {
            ReadingBatch(source: 77, driver: "r1", device: "hallway", entries: [.reading(Rig.reading(number, 190, at: 1))])
        }
        let accepted = (1...70).filter { rig.alerts.writeIfReady(batch($0)) }
        #expect(accepted == Array(1...64), "then they are handled, which is done on another thread")
        for number in 65...70 { _ = try rig.alerts.write(batch(UInt64(number))) }
        #expect(rig.alerts.writeIfReady(batch(71)))
        rig.alerts.reload([try high()], Household())
        #expect(try await eventuallyTrue { !rig.alerts.writeIfReady(batch(72)) }, "a rule needs each at once")
        for number in 1...71 { _ = try rig.alerts.write(batch(UInt64(number))) }
        #expect(rig.changes.isEmpty, "they were there before the rule")
        try await rig.hear(Rig.reading(73, 190, at: 2))
        #expect(rig.changes == ["raised"])
        try rig.pipeline.finish()
    }

    @Test func aCuffsOwnCycle_IsWaitedFor() async throws {
        let rig = Rig([AlertRule(name: "quiet", trigger: .silence(.seconds(600)))], folder: TestFolder())
        rig.alerts.update([], [OwnCycle(key: "usb:1", driver: "r1", minutes: 20)])
        rig.alerts.name("usb:1", "hallway")
        try await rig.hear(Rig.reading(1, 120, at: 1))
        try await rig.hear(Rig.reading(2, 120, at: 20))
        #expect(rig.changes.isEmpty)
        // A reading of another driver does not end the silence; it only lets time pass.
        rig.at(51)
        rig.pipeline.submit(
            ReadingBatch(source: 78, driver: "and-std", device: "kitchen", entries: [.reading(Rig.reading(3, 120, at: 51))]))
        #expect(try await eventuallyTrue { rig.changes == ["raised"] })
        #expect(rig.alerts.standing.map(\.device) == ["usb:1"])
        try rig.pipeline.finish()
    }

    // MARK: The outbox

    private func notice(_ reading: Reading, _ change: AlertNotice.Change = .raised) -> BatchEntry {
        let notice = AlertNotice(
            id: Reading.ID(wallSeconds: reading.id.wallSeconds, hash: reading.id.hash ^ 0xFFFF), change: change, rule: "high",
            condition: "systolic >= 180", time: reading.measured ?? Rig.start, readings: [reading.id], pressure: reading.bloodPressure,
            text: "high")
        return .live(.alert(notice), driver: "r1", elapsed: nil)
    }

    @Test func anAlert_WaitsInTheOutbox_Once_UntilItIsHandedOver() async throws {
        let folder = TestFolder()
        var context = SinkContext()
        context.outbox = folder.file("bp.db")
        let spec = "exec:sh -c 'cat >> \(folder.file("got"))'"
        let reading = Rig.reading(1, 190, at: 1)
        for _ in 0..<2 {
            let sink = try SinkSpec(spec).open(context)
            #expect(sink.takesAlerts && !sink.takesLiveEvents)
            _ = try sink.write(ReadingBatch(source: 1, driver: "r1", device: "hallway", entries: [.reading(reading)]))
            _ = try sink.write(
                ReadingBatch(
                    source: 2, driver: "r1", device: "hallway", entries: [notice(reading), .live(.started, driver: "r1", elapsed: nil)]))
            try await onThread { try sink.close() }
        }
        let lines = folder.lines("got")
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix("{\"type\":\"alert\",\"schema\":1,\"id\":\"20260505T080100-") == true)
    }

    @Test func kindsThatKeepReadingsOnly_TakeNone() {
        let taking = SinkKind.all.filter { $0.traits.contains(.alerts) }.map(\.scheme)
        #expect(
            Set(taking) == ["exec", "exec+ack", "unix", "unix+ack", "tcp", "tcp+ack", "mqtt", "mqtts", "http", "https"])
    }

    @Test func whatIsDeleted_IsNotSentAsAnAlertEither() throws {
        let folder = TestFolder()
        let store = try Store(folder.file("bp.db"), access: .write)
        let readings = [Rig.reading(1, 190, at: 1), Rig.reading(2, 191, at: 3)]
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        _ = try sink.write(ReadingBatch(source: 1, driver: "r1", device: "hallway", entries: readings.map { .reading($0) }))
        let outbox = try Outbox(store, spec: "exec:none")
        _ = try outbox.put(
            [ReadingBatch(source: 2, driver: "r1", device: "hallway", entries: readings.map { notice($0) })], line: ReadingLine(),
            alerts: true)
        #expect(try outbox.refresh() == 2)
        var selection = ReadingSelection(zone: .utc)
        selection.ids = [readings[0].id]
        #expect(try store.delete(selection) == 1)
        #expect(try outbox.next(10).map { String(decoding: $0.bytes, as: UTF8.self).contains("\"systolic_mmHg\":191") } == [true])
    }

    @Test func aFileWithAlerts_IsGoneOnWith() throws {
        let folder = TestFolder()
        let reading = Rig.reading(1, 190, at: 1)
        for _ in 0..<2 {
            let sink = try JSONLinesSink(path: folder.file("bp.jsonl"), line: ReadingLine())
            let repeated = try sink.write(ReadingBatch(source: 1, driver: "r1", device: "hallway", entries: [.reading(reading)]))
            #expect(repeated == (folder.lines("bp.jsonl").count > 1 ? 1 : 0))
            if repeated == 0 { _ = try sink.write(ReadingBatch(source: 2, driver: "r1", device: "hallway", entries: [notice(reading)])) }
            try sink.close()
        }
        #expect(folder.lines("bp.jsonl").count == 2)
    }
}

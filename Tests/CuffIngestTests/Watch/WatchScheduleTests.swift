import CuffCore
import Dispatch
import Glibc
import Testing

@testable import CuffIngest

/// Schedules of a watch, with a test clock.
@Suite struct WatchScheduleTests {
    private static let eight: Int64 = 1_777_968_000  // 2026-05-05T08:00:00Z

    private struct Run {
        let schedules: WatchSchedules
        let said: Mailbox<String>
        let asked: Mailbox<Int64>
        let planned: Mailbox<[HostSchedule]>
        let folder: ScheduleFolder
    }

    /// The schedule: every 15 minutes from 08:00 to 22:00 UTC, handled up to `handled`.
    private func run(
        in place: TestFolder, now: Int64, handled: Int64, answer: @escaping @Sendable (Int64) -> WatchSchedules.Answer
    ) throws -> Run {
        let plan = try #require(MonitoringPlan(every: 15, window: MonitoringPlan.Window(from: 480, to: 1320)))
        let folder = ScheduleFolder(DriverMemory(folder: place.path))
        let keeper = ScheduleKeeper(plan, from: handled)
        try folder.save(HostSchedule(key: "/dev/cuff", driver: "suntech-advantage", zone: "UTC", keeper: keeper))
        let (said, asked, planned) = (Mailbox<String>(), Mailbox<Int64>(), Mailbox<[HostSchedule]>())
        let schedules = WatchSchedules(
            folder, now: { now }, notify: { said.post($0) }, changed: { planned.post($0) },
            measure: { schedule, reply in
                asked.post(schedule.keeper.handled)
                reply(answer(now))
            })
        return Run(schedules: schedules, said: said, asked: asked, planned: planned, folder: folder)
    }

    private func begin(_ run: Run) { run.schedules.start() }

    /// Returns when all received results are stored.
    private func end(_ run: Run) async {
        await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in run.schedules.stop { ended.resume() } }
    }

    @Test func aMeasurement_IsWrittenDownBeforeItBegins() async throws {
        let place = TestFolder()
        let run = try run(in: place, now: Self.eight + 10, handled: Self.eight - 60) { _ in .begun }
        begin(run)
        #expect(await run.asked.wait(count: 1) == [Self.eight - 60])
        #expect(run.folder.load("/dev/cuff")?.keeper.handled == Self.eight)
        run.schedules.ended("/dev/cuff", .aborted)
        #expect(await run.said.wait { $0.contains { $0.contains("was missed: it gave no result") } }.count == 2)
        await end(run)
        #expect(run.folder.load("/dev/cuff")?.keeper.measuredCount == 0)
    }

    @Test func aResult_Counts() async throws {
        let place = TestFolder()
        let run = try run(in: place, now: Self.eight + 10, handled: Self.eight - 60) { _ in .begun }
        begin(run)
        _ = await run.asked.wait(count: 1)
        let result = Reading(.bloodPressure(.mmHg(120, 80)), driver: "suntech-advantage", origin: .measurement, raw: RawBytes([]))
        run.schedules.ended("/dev/cuff", .result(result))
        await end(run)
        #expect(run.folder.load("/dev/cuff")?.keeper.measuredCount == 1)
        #expect(run.said.values == ["/dev/cuff: measuring every 15 minutes"])
    }

    @Test(arguments: [WatchSchedules.Answer.absent, .busy])
    func aCuffThatIsNotToBeHad_IsTriedWhileItsTimeLasts_ThenSkipped(_ answer: WatchSchedules.Answer) async throws {
        let place = TestFolder()
        // Two minutes late is the maximum; four seconds are left.
        let run = try run(in: place, now: Self.eight + 116, handled: Self.eight - 60) { _ in answer }
        begin(run)
        let said = await run.said.wait { $0.contains { $0.contains("was missed") } }
        #expect(said.last?.contains("2026-05-05 08:00 was missed: the cuff was \(answer == .absent ? "not there" : "in use")") == true)
        await end(run)
        #expect(run.folder.load("/dev/cuff")?.keeper.handled == Self.eight)
    }

    @Test func whatWasDueWhileNobodyRan_IsSaid_AndNotMadeUpFor() async throws {
        let place = TestFolder()
        let run = try run(in: place, now: Self.eight + 3600 + 300, handled: Self.eight - 60) { _ in .begun }
        begin(run)
        let said = await run.said.wait(count: 2)
        #expect(said.last == "/dev/cuff: 5 measurements from 2026-05-05 08:00 to 2026-05-05 09:00 were missed: this program did not run")
        #expect(run.asked.values.isEmpty)
        await end(run)
    }

    @Test func plans_ComeChangeAndGo_WhileItRuns() async throws {
        let place = TestFolder()
        let run = try run(in: place, now: Self.eight + 300, handled: Self.eight) { _ in .begun }
        begin(run)
        let plan = try #require(MonitoringPlan(every: 30))
        let other = HostSchedule(key: "usb:1", driver: "berry-pm6750", zone: nil, keeper: ScheduleKeeper(plan, from: Self.eight))
        try run.folder.save(other)
        _ = await run.said.wait { $0.contains("usb:1: measuring every 30 minutes") }
        #expect(run.folder.remove("/dev/cuff"))
        _ = await run.said.wait { $0.contains("/dev/cuff: no longer measured automatically") }
        #expect(await run.planned.wait { $0.last == [other] }.count >= 2)
        await end(run)
    }

    @Test func cyclesOfTheCuffsThemselves_AreTold_AndNothingIsMeasuredForThem() async throws {
        let place = TestFolder()
        let folder = ScheduleFolder(DriverMemory(folder: place.path))
        try folder.note(cycle: 15, of: "ward 3", "par-nibp")
        try folder.note(cycle: 15, of: "/dev/ttyUSB0", "par-nibp")
        let told = Mailbox<[OwnCycle]>()
        let asked = Mailbox<Int64>()
        let schedules = WatchSchedules(
            folder, now: { Self.eight }, notify: { _ in }, changed: { _ in }, cyclesChanged: { told.post($0) },
            measure: { schedule, reply in
                asked.post(schedule.keeper.handled)
                reply(.begun)
            })
        schedules.start()
        let own = OwnCycle(key: "ward 3", driver: "par-nibp", minutes: 15)
        #expect(await told.wait(count: 1) == [[own]], "the next cuff gets the same node, so of that nothing is noted")
        try folder.note(cycle: 3, of: "ward 3", "par-nibp")
        #expect(await told.wait { $0.last?.first?.minutes == 3 }.last?.count == 1)
        try folder.note(cycle: 0, of: "ward 3", "par-nibp")
        #expect(await told.wait { $0.last == [] }.count == 3)
        #expect(asked.values.isEmpty && folder.all().isEmpty)
        await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in schedules.stop { ended.resume() } }
        for cut in own.text.indices { #expect(OwnCycle(text: String(own.text[..<cut])) == nil) }
        #expect(OwnCycle(text: own.text) == own && OwnCycle(text: "1 par-nibp 0 x\n") == nil && OwnCycle(text: "1 no-such 15 x\n") == nil)
    }

    @Test func aScheduleCutShort_IsNone() throws {
        let plan = try #require(MonitoringPlan(every: 30))
        let whole = HostSchedule(key: "/dev/tty USB0", driver: "and-std", zone: "Europe/Berlin", keeper: ScheduleKeeper(plan, from: 5))
        #expect(HostSchedule(text: whole.text) == whole)
        for cut in whole.text.indices { #expect(HostSchedule(text: String(whole.text[..<cut])) == nil) }
        #expect(HostSchedule(text: whole.text.replacing("and-std", with: "no-such")) == nil)
    }
}

/// A schedule inflates a cuff automatically: it must never apply to the next one on the same node.
@Suite struct ScheduleKeyTests {
    private func link(_ serial: String?, port: String = "1-1.2", node: String = "ttyUSB0") -> LinkPlan {
        let device = HotplugSample.device(HotplugSample.adapter(serial: serial, port: port, node: node))
        return LinkPlan(target: .plugged(device), identity: device.key.description, driver: "par-nibp")
    }

    private func schedule(_ key: String) throws -> HostSchedule {
        let plan = try #require(MonitoringPlan(every: 15))
        return HostSchedule(key: key, driver: "par-nibp", zone: nil, keeper: ScheduleKeeper(plan, from: 0))
    }

    @Test func aPlan_FollowsTheCuff_NotTheNode() throws {
        let first = link("A900XYZ1"), second = link("B1000001"), moved = link("A900XYZ1", port: "1-4", node: "ttyUSB5")
        let plan = try schedule(first.identity)
        #expect(plan.fits(first) && plan.fits(moved))
        #expect(!plan.fits(second))
        // One stored under the node's name applies to no cuff.
        #expect(try !schedule("/dev/ttyUSB0").fits(first))
        // Without a serial number only the port identifies it.
        let bare = link(nil)
        #expect(try schedule(bare.identity).fits(bare))
        #expect(try !schedule(bare.identity).fits(link(nil, port: "1-3")))
    }

    @Test func aLinkThatSomebodyNamed_IsItsOwnName_NotWhatItLeadsTo() throws {
        let place = TestFolder()
        let name = place.file("anna")
        #expect(symlink("/dev/null", name) == 0)
        let named = LinkPlan(target: .place(.node(name)), identity: name, driver: "par-nibp")
        #expect(try schedule(name).fits(named))
        #expect(try !schedule("/dev/null").fits(named))
        var told = LinkPlan(target: .place(.node("/dev/ttyS3")), identity: "ward-2", driver: "par-nibp")
        #expect(try schedule("ward-2").fits(told))
        told.driver = "suntech-advantage"
        #expect(try !schedule("ward-2").fits(told))
    }

    @Test(arguments: [
        ("/dev/ttyUSB0", true), ("/dev/ttyACM1", true), ("/dev/pts/3", true), ("/dev/hidraw0", true), ("/dev/ttyS0", false),
        ("anna", false), ("usb:0403:6001:A1", false), ("/dev/serial/by-id/usb-x", false),
    ])
    func aNodeThatTheNextCuffGets_IsNoKey(_ key: String, _ isBorrowed: Bool) {
        #expect(ScheduleFolder.isBorrowed(key) == isBorrowed)
    }
}

@Suite struct MeasurementMarkTests {
    /// A child of another test holds a copy of the lock until exec.
    private func comes<Value>(_ body: () -> Value?) async throws -> Value? {
        for _ in 0..<500 {
            if let value = body() { return value }
            try await Task.sleep(for: .milliseconds(10))
        }
        return body()
    }

    @Test func aMark_IsHeldByOne_AndFoundWhenItsHolderIsGone() async throws {
        let place = TestFolder()
        let marks = MeasurementMarks(DriverMemory(folder: place.path))
        let address = DeviceAddress.node("/dev/ttyUSB7")
        #expect(marks.left("and-std", address) == nil)
        #expect(marks.holder("and-std", address) == nil)
        let first = try marks.place("and-std", address)
        #expect(!first.wasLeft)
        #expect(marks.holder("and-std", address) == getpid())
        #expect(throws: IngestError.self) { try marks.place("and-std", address) }
        #expect(marks.left("and-std", address) == nil)
        // As when the process dies: the lock is released, the file stays.
        first.leave()
        let second = try #require(try await comes { marks.left("and-std", address) })
        #expect(second.wasLeft)
        second.remove()
        #expect(marks.left("and-std", address) == nil)
        let third = try marks.place("and-std", .tcp(host: "box", port: 1))
        #expect(marks.left("and-std", address) == nil)
        third.remove()
    }
}

@Suite struct StateFileTests {
    @Test func afterWriting_ThereIsTheNewText_AndNothingElse() throws {
        let place = TestFolder()
        let path = place.file("a/b/state")
        try StateFile.write("one\n", to: path)
        try StateFile.write("two\n", to: path)
        #expect(StateFile.read(path) == "two\n")
        #expect(Folder.names(place.file("a/b")).filter { !$0.hasPrefix(".") } == ["state"])
        #expect(place.mode("a/b/state") == 0o600)
        #expect(place.mode("a") == 0o700)
        #expect(StateFile.read(place.file("none")) == nil)
    }

    /// Only root can change owners; for others the same code runs without.
    @Test func rootsFile_BelongsToTheFoldersOwner() throws {
        let place = TestFolder()
        guard geteuid() == 0, chown(place.path, 65534, 65534) == 0 else {
            print("note: not root: whose a state file is was not checked")
            return
        }
        try StateFile.write("x\n", to: place.file("schedules/one"))
        for name in ["schedules", "schedules/one"] {
            var status = stat()
            #expect(stat(place.file(name), &status) == 0)
            #expect(status.st_uid == 65534, "\(name)")
        }
    }
}

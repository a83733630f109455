import CuffClinical
import CuffCore
import Dispatch
import Foundation
import Glibc
import SQLite
import Testing

@testable import CuffIngest

/// Runs blocking work on a thread of its own, so that it holds none of the test runner's.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}

/// The error of a call that must fail.
func failure(_ body: @escaping @Sendable () throws -> Void) async -> IngestError? {
    do {
        try await onThread(body)
        return nil
    } catch {
        return error as? IngestError
    }
}

/// Keeps a record of beurer-serial with a wrong reading of it, as a driver before a correction would have: decoding it anew
/// changes the numbers and keeps the id.
func storeMisreadRecord(_ path: String) throws -> Reading {
    let record: [UInt8] = [0xAC, 100, 60, 70, 5, 5, 7, 31, 26]
    var reading = Reading(
        .bloodPressure(.mmHg(135, 85, pulse: 70)), driver: "beurer-serial", flags: .noMeasurementCheck,
        clock: .time(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)), origin: .memory, raw: RawBytes(record))
    var ledger = ReadingLedger(device: "SN1", driver: "beurer-serial")
    _ = ledger.admit(&reading, received: Timestamp(milliseconds: 1_778_000_000_000))
    let sink = try SQLiteSink(path: path)
    _ = try sink.write(Batch(source: 1, driver: "beurer-serial", device: "SN1", entries: [.reading(reading)]))
    try sink.close()
    return reading
}

/// A fault of the tests' own sinks and transports.
struct TestFault: Fault {
    let kind: RunStatus
    let line: String
    var statement: (status: RunStatus, text: String) { (kind, line) }
}

extension IngestError {
    init(_ status: RunStatus, _ what: String, why: String = "") {
        self.init(TestFault(kind: status, line: what + (why.isEmpty ? "" : ": \(why)")))
    }
}

/// The parts of an error's line.
extension IngestError {
    var what: String { description }
    var why: String { description.split(separator: ": ", maxSplits: 1).dropFirst().joined() }
}

/// Values that arrive from other threads, awaited without blocking.
final class Mailbox<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var turn = 0
        var waiting: [(turn: Int, condition: @Sendable ([Value]) -> Bool, resume: CheckedContinuation<[Value]?, Never>)] = []
    }
    private let state = Locked(State())

    func post(_ value: Value) {
        let due = state.withLock { state -> ([Value], [CheckedContinuation<[Value]?, Never>]) in
            state.values.append(value)
            let values = state.values
            let due = state.waiting.filter { $0.condition(values) }
            state.waiting.removeAll { $0.condition(values) }
            return (values, due.map(\.resume))
        }
        for continuation in due.1 { continuation.resume(returning: due.0) }
    }

    var values: [Value] { state.withLock { $0.values } }

    /// All values, once they satisfy the condition; after `limit` the test has failed, and what came so far is returned.
    @discardableResult
    func wait(
        within limit: Duration = .seconds(60), at location: SourceLocation = #_sourceLocation,
        until condition: @escaping @Sendable ([Value]) -> Bool
    ) async -> [Value] {
        let values = await withCheckedContinuation { (continuation: CheckedContinuation<[Value]?, Never>) in
            let turn = state.withLock { state -> Int? in
                state.turn += 1
                if condition(state.values) { return nil }
                state.waiting.append((state.turn, condition, continuation))
                return state.turn
            }
            guard let turn else { return continuation.resume(returning: self.values) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(limit / .milliseconds(1)))) { [self] in
                let late = state.withLock { state -> CheckedContinuation<[Value]?, Never>? in
                    guard let index = state.waiting.firstIndex(where: { $0.turn == turn }) else { return nil }
                    return state.waiting.remove(at: index).resume
                }
                late?.resume(returning: nil)
            }
        }
        if let values { return values }
        Issue.record("waited \(limit) in vain; came so far: \(self.values)", sourceLocation: location)
        return self.values
    }

    @discardableResult
    func wait(
        count: Int, within limit: Duration = .seconds(60), at location: SourceLocation = #_sourceLocation
    ) async -> [Value] {
        await wait(within: limit, at: location) { $0.count >= count }
    }
}

/// A folder that vanishes with the test.
final class TestFolder: Sendable {
    let path: String
    init() {
        var template = Array("/tmp/cuff-test-XXXXXX".utf8CString)
        path = String(cString: mkdtemp(&template))
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    func file(_ name: String) -> String { "\(path)/\(name)" }
    func write(_ name: String, _ text: String) -> String { write(name, Array(text.utf8)) }
    func write(_ name: String, _ bytes: [UInt8]) -> String {
        _ = FileManager.default.createFile(atPath: file(name), contents: Data(bytes))
        return file(name)
    }
    func text(_ name: String) -> String { (try? String(contentsOfFile: file(name), encoding: .utf8)) ?? "" }
    func lines(_ name: String) -> [String] { text(name).split(whereSeparator: \.isNewline).map(String.init) }
    func mode(_ name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int) ?? 0
    }
}

/// Keeps what it is given; holds every write back while it is stalled, and fails the first so many.
final class MemorySink: Sink {
    let label = "memory"
    let takesLiveEvents: Bool
    /// As far as a test is concerned, unless it says otherwise.
    let isDurable: Bool
    private let state = Locked((batches: [Batch](), failures: 0))
    private let gate = Gate(isOpen: true)
    /// Readings of each batch that was handed over, before it is held back or fails; and of each that was written.
    let calls = Mailbox<Int>()
    let arrivals = Mailbox<Int>()

    init(takesLiveEvents: Bool = true, failures: Int = 0, isDurable: Bool = true) {
        self.takesLiveEvents = takesLiveEvents
        self.isDurable = isDurable
        state.withLock { $0.failures = failures }
    }

    func stall() { gate.set(open: false) }
    func release() { gate.set(open: true) }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        calls.post(batch.readings)
        gate.pass()
        let fails = state.withLock { state in
            if state.failures > 0 {
                state.failures -= 1
                return true
            }
            state.batches.append(batch)
            return false
        }
        if fails { throw IngestError(.inputOutput, "the test's sink failed") }
        arrivals.post(batch.readings)
        return 0
    }

    var batches: [Batch] { state.withLock { $0.batches } }
    var readings: [Reading] {
        batches.flatMap(\.entries).compactMap { if case .reading(let reading) = $0 { reading } else { nil } }
    }
}

extension Reading {
    /// A blood pressure of a test, distinct by its number.
    static func sample(
        _ number: Int, systolic: Int = 120, revision: UInt8 = 0, isPending: Bool = false, code: String? = nil
    ) -> Reading {
        let time = DeviceTime(wallSeconds: 1_778_000_000 + Int64(number) * 60, precision: .minute)
        let content: Reading.Content =
            if let code { .failure(Failure(.movement, code: ShortText(code))) } else {
                .bloodPressure(.mmHg(systolic, 80, mean: 93, pulse: 60))
            }
        var reading = Reading(
            content, driver: "and-std", clock: .time(time), origin: .memory,
            raw: RawBytes([UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]))
        reading.revision = revision
        reading.isPending = isPending
        var ledger = ReadingLedger(device: "test", driver: "and-std")
        _ = ledger.admit(&reading, received: Timestamp(milliseconds: 1_778_900_000_120))
        return reading
    }
}

extension Batch {
    static func sample(_ numbers: Range<Int>, source: Int = 1, through: Int? = nil) -> Batch {
        Batch(
            source: source, driver: "and-std", device: "dev-\(source)", entries: numbers.map { .reading(.sample($0)) },
            through: through ?? numbers.upperBound)
    }
}

/// A protocol of single bytes: each is a reading, and each commit is acknowledged with `06 n`, n readings in all. A byte FF is
/// asked for by `readMemory`, and ends the session when it comes; `readMemory` waits so long for anything.
struct ByteSession: CuffSession {
    let patience: Duration
    private var count: UInt32 = 0

    init(patience: Duration) { self.patience = patience }

    mutating func handle(_ event: SessionEvent, into actions: inout SessionActions) {
        switch event {
        case .received(let bytes):
            for byte in bytes {
                if byte == 0xFF {
                    actions.append(.disarm(.response))
                    actions.append(.finish(.complete))
                    continue
                }
                if byte == 0xFE {
                    actions.append(.live(.cuffPressure(.mmHg(100))))
                    continue
                }
                count += 1
                var reading = Reading(
                    .bloodPressure(.mmHg(100 + Int(byte), 70)), driver: "byte", origin: .push, sequence: count,
                    raw: RawBytes([byte]))
                // A zero repeats the first record.
                if byte == 0 { reading.sequence = 1 }
                actions.append(.emit(reading))
            }
        case .committed(let through): actions.append(.write([0x06, UInt8(truncatingIfNeeded: through)]))
        case .command(.readMemory):
            actions.append(.write([0x05]))
            actions.append(.arm(.response, patience))
        case .timerFired: actions.append(.finish(.noAnswer("nothing came")))
        case .command(.stop): actions.append(.write([0x18]))
        case .closed: actions.append(.finish(.complete))
        default: break
        }
    }
}

extension CuffDriver {
    /// Its patience is longer than a busy machine holds up a test.
    static let byte = byte(patience: .seconds(50))

    /// It forgets what it was acknowledged for.
    static let forgetfulByte = byte(patience: .seconds(50), forgets: true)

    static func byte(patience: Duration, forgets: Bool = false) -> CuffDriver {
        CuffDriver(
            id: "byte", models: ["Test"], summary: "bytes", grade: .c, testedOn: .derived, framing: "none", check: nil,
            capabilities: forgets ? [.push, .storedReadings, .forgets] : [.push, .storedReadings], sources: [],
            makeSession: { _ in ByteSession(patience: patience) },
            makeSimulator: { AndStdSimulatorStandIn($0) })
    }
}

private struct AndStdSimulatorStandIn: CuffSimulator {
    init(_ script: SimulatorScript) {}
    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] { [] }
}

/// A device in memory: the test plays the cuff.
final class LoopTransport: Transport, @unchecked Sendable {
    let address = "loop"
    private var loop: EventLoop?
    private var deliver: ((TransportEvent) -> Void)?
    private var isPaused = false
    private let held = Locked<[TransportEvent]>([])
    let writes = Mailbox<[UInt8]>()
    let pauses = Mailbox<Bool>()
    let started = Mailbox<Bool>()

    func open() throws(IngestError) {}

    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
        self.loop = loop
        self.deliver = deliver
        deliver(.opened)
        if held.withLock({ !$0.isEmpty }) { loop.async { self.pump() } }
        started.post(true)
    }

    /// Bytes from the cuff; while the link pauses they wait, as they would in the kernel.
    func inject(_ bytes: [UInt8]) { post(.received(bytes)) }
    func unplug() { post(.closed(TransportFault.unplugged)) }

    private func post(_ event: TransportEvent) {
        let isFirst = held.withLock { held in
            held.append(event)
            return held.count == 1
        }
        if isFirst { loop?.async { self.pump() } }
    }

    /// One event for each turn of the loop, as a descriptor gives them, so that a pause comes between two.
    private func pump() {
        guard !isPaused, let event = held.withLock({ $0.first }) else { return }
        deliver?(event)
        let isMore = held.withLock { held in
            held.removeFirst()
            return !held.isEmpty
        }
        if isMore { loop?.async { self.pump() } }
    }

    func write(_ bytes: [UInt8]) {
        writes.post(bytes)
        deliver?(.sent(bytes))
    }
    let hasFeatures = Locked(true)
    func writeFeature(_ bytes: [UInt8]) {
        if hasFeatures.withLock({ $0 }) { return write(bytes) }
        let deliver = deliver
        self.deliver = nil
        deliver?(.closed(TransportFault.failed(call: "HIDIOCSFEATURE", errno: ENOTTY)))
    }
    func pause() {
        isPaused = true
        pauses.post(true)
    }
    func resume() {
        isPaused = false
        pauses.post(false)
        pump()
    }
    func close() {
        let deliver = deliver
        self.deliver = nil
        deliver?(.closed(nil))
    }
}

/// A link that gets its commands when it is started.
final class TestLink: Sendable {
    private let handle = Locked<LinkHandle?>(nil)
    private let make: @Sendable ([SessionCommand]) -> LinkHandle

    init(
        driver: CuffDriver, device: String = "", transport: any Transport, pipeline: Pipeline, options: [String: String] = [:],
        memory: DriverMemory? = nil, tell: @escaping @Sendable (LinkNotice) -> Void = { _ in }
    ) {
        nonisolated(unsafe) let transport = transport
        make = { commands in
            var setup = LinkState.Setup.remembering(driver, device: device, options: options, memory: memory, commands: commands)
            setup.zone = .utc
            setup.keepsReadings = pipeline.isDurable
            return LinkHandle(setup, transport: transport, pipeline: pipeline, memory: memory, notify: tell)
        }
    }

    func start(_ commands: [SessionCommand]) {
        let link = make(commands)
        handle.withLock { $0 = link }
        link.start()
    }

    func stop() { handle.withLock { $0 }?.stop() }
    func send(_ event: LinkEvent) { handle.withLock { $0 }?.send(event) }
    var counters: LinkCounters { handle.withLock { $0 }?.counters ?? LinkCounters() }
    var transportFault: TransportFault? { handle.withLock { $0 }?.transportFault }
}

extension Store {
    /// A blood pressure as it is stored, with whose it is.
    struct Pressure {
        let reading: Reading
        let driver, device: String
        var systolic: Int? { (reading.bloodPressure?.systolic.inMmHg).map { Int($0) } }
    }

    /// The blood pressures in it, in the order of their ids.
    func all() throws -> [Pressure] {
        var selection = ReadingSelection(zone: .utc)
        selection.kinds = [.bloodPressure]
        var all: [Pressure] = []
        try forEach(selection) { reading, provenance in
            all.append(Pressure(reading: reading, driver: provenance.driver, device: provenance.device))
            return true
        }
        return all
    }
}

// MARK: Databases as another program sees them: the views are for people, and this program's connections do not use them.

/// Runs statements without parameters.
func alter(_ path: String, _ sql: String) throws {
    let db = try SQLiteConnection(path, .write)
    try db.execute(sql)
    try db.close()
}

/// The first column of a query's rows, as text.
func column(_ path: String, _ sql: String) throws -> [String?] {
    try SQLiteConnection(path, .read).rows(sql) { $0.text(0) }
}

/// A database as an earlier version of the program made it, by the migrations up to this one.
func makeDatabase(_ path: String, upTo name: String) throws {
    let db = try SQLiteConnection(path, .write)
    try db.execute("PRAGMA journal_mode = WAL; PRAGMA application_id = \(Store.applicationID)")
    let count = try #require(Schema.migrations.firstIndex { $0.name == name }) + 1
    try db.migrate(Schema.migrations.prefix(count), table: Schema.migrationTable)
    try db.close()
}

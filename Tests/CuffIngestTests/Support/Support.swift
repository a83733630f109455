import CuffClinical
import CuffCore
import Dispatch
import Foundation
import Glibc
import SQLite
import Testing

@testable import CuffIngest

/// Runs blocking work on its own thread, not on one of the test runner's.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}

func failure(_ body: @escaping @Sendable () throws -> Void) async -> IngestError? {
    do {
        try await onThread(body)
        return nil
    } catch {
        return error as? IngestError
    }
}

/// Stores a record of beurer-serial with a wrong reading, as before a correction of a driver: decoding it again changes the
/// values and keeps the id.
func storeMisreadRecord(_ path: String) throws -> Reading {
    let record: [UInt8] = [0xAC, 100, 60, 70, 5, 5, 7, 31, 26]
    var reading = Reading(
        .bloodPressure(.mmHg(135, 85, pulse: 70)), driver: "beurer-serial", flags: .noMeasurementCheck,
        clock: .time(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)), origin: .memory, raw: RawBytes(record))
    var ledger = ReadingLedger(device: "SN1", driver: "beurer-serial")
    _ = ledger.admit(&reading, received: Timestamp(milliseconds: 1_778_000_000_000))
    let sink = try SQLiteSink(path: path)
    _ = try sink.write(ReadingBatch(source: 1, driver: "beurer-serial", device: "SN1", entries: [.reading(reading)]))
    try sink.close()
    return reading
}

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

extension IngestError {
    var what: String { description }
    var why: String { description.split(separator: ": ", maxSplits: 1).dropFirst().joined() }
}

/// Values from other threads, awaited without blocking.
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

    /// The values once they satisfy the condition; fails after `limit` and returns what came so far.
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

/// A folder that is removed after the test.
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

/// Records batches; can stall writes and fail the first ones.
final class MemorySink: ReadingSink {
    let label = "memory"
    let takesLiveEvents: Bool
    let isDurable: Bool
    private let state = Locked((batches: [ReadingBatch](), failures: 0))
    private let gate = Gate(isOpen: true)
    /// The readings of each batch received, before it stalls or fails, and of each written.
    let calls = Mailbox<Int>()
    let arrivals = Mailbox<Int>()

    init(takesLiveEvents: Bool = true, failures: Int = 0, isDurable: Bool = true) {
        self.takesLiveEvents = takesLiveEvents
        self.isDurable = isDurable
        state.withLock { $0.failures = failures }
    }

    func stall() { gate.set(open: false) }
    func release() { gate.set(open: true) }

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
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

    var batches: [ReadingBatch] { state.withLock { $0.batches } }
    var readings: [Reading] {
        batches.flatMap(\.entries).compactMap { if case .reading(let reading) = $0 { reading } else { nil } }
    }
}

extension Reading {
    /// Distinct by `number`.
    static func sample(
        _ number: Int, systolic: Int = 120, revision: UInt8 = 0, isPending: Bool = false, code: String? = nil
    ) -> Reading {
        let time = DeviceTime(wallSeconds: 1_778_000_000 + Int64(number) * 60, precision: .minute)
        let content: Reading.Content =
            if let code { .failure(.init(.movement, code: ShortText(code))) } else {
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

extension ReadingBatch {
    static func sample(_ numbers: Range<Int>, source: Int = 1, through: Int? = nil) -> ReadingBatch {
        ReadingBatch(
            source: source, driver: "and-std", device: "dev-\(source)", entries: numbers.map { .reading(.sample($0)) },
            through: through ?? numbers.upperBound)
    }
}

/// A protocol of single bytes: each is a reading, and each commit is acknowledged with `06 n`, the total count. `readMemory`
/// sends FF, and ends with a received FF or after a time limit.
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
    /// Longer than a busy machine delays a test.
    static let byte = byte(patience: .seconds(50))

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

/// A device in memory, played by the test.
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

    /// Bytes from the cuff, which are queued while the link pauses, as in the kernel.
    func inject(_ bytes: [UInt8]) { post(.received(bytes)) }
    func unplug() { post(.closed(TransportFault.unplugged)) }

    private func post(_ event: TransportEvent) {
        let isFirst = held.withLock { held in
            held.append(event)
            return held.count == 1
        }
        if isFirst { loop?.async { self.pump() } }
    }

    /// One event per turn of the loop, as with a descriptor, so that a pause may come in between.
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

/// A link that gets its commands at the start.
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
    struct Pressure {
        let reading: Reading
        let driver, device: String
        var systolic: Int? { (reading.bloodPressure?.systolic.inMmHg).map { Int($0) } }
    }

    /// In order of id.
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

// MARK: Databases from another program's view. Views are for users; this program does not use them.

func alter(_ path: String, _ sql: String) throws {
    let db = try SQLiteConnection(path, .write)
    try db.execute(sql)
    try db.close()
}

func column(_ path: String, _ sql: String) throws -> [String?] {
    try SQLiteConnection(path, .read).rows(sql) { $0.text(0) }
}

/// A database created by the migrations up to this one.
func makeDatabase(_ path: String, upTo name: String) throws {
    let db = try SQLiteConnection(path, .write)
    try db.execute("PRAGMA journal_mode = WAL; PRAGMA application_id = \(Store.applicationID)")
    try RowChecksum.prepare(db)
    let count = try #require(Schema.migrations.firstIndex { $0.name == name }) + 1
    try db.migrate(Schema.migrations.prefix(count), table: Schema.migrationTable)
    try db.close()
}

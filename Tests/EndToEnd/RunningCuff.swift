import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// A running `cuff`, which can be signalled, inspected and awaited.
final class RunningCuff: @unchecked Sendable {
    private let process = Process()
    private let errors: URL

    init(_ arguments: [String], folder: Scratch, name: String = "cuff", executable: String = CuffProcess.path) throws {
        errors = folder.url.appendingPathComponent("\(name).err")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        variables["TZ"] = "UTC"
        variables["XDG_STATE_HOME"] = folder.path("state")
        variables["XDG_DATA_HOME"] = folder.path("data")
        process.environment = variables
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    var pid: pid_t { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var said: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Its status; it is killed after `limit` seconds.
    func end(within limit: Double = 30) async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                let until = Date().addingTimeInterval(limit)
                while process.isRunning, Date() < until { usleep(2000) }
                if process.isRunning { kill(pid, SIGKILL) }
                process.waitUntilExit()
                continuation.resume(
                    returning: process.terminationReason == .uncaughtSignal ? process.terminationStatus + 128 : process.terminationStatus)
            }
        }
    }

    /// In KiB.
    var memory: Int { status("VmRSS:") }
    var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count) ?? 0 }

    private func status(_ key: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}

/// Polls for at most `limit` seconds.
func eventually(_ limit: Double = 30, _ condition: () async throws -> Bool) async throws -> Bool {
    let until = Date().addingTimeInterval(limit)
    while Date() < until {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return try await condition()
}

extension CuffDriver {
    /// The same cuff; `told` is called for every confirmed measurement.
    func witnessed(_ told: @escaping @Sendable () -> Void) -> CuffDriver {
        let make = makeSimulator
        return CuffDriver(
            id: id, models: models, summary: summary, grade: grade, testedOn: testedOn, framing: framing, check: check,
            capabilities: capabilities, sources: sources, makeSession: makeSession,
            makeSimulator: { WitnessedCuff(inner: make($0), told: told) })
    }
}

/// An IEEE 11073 agent that observes its host: a confirmed scan report is a response (E7 00, choice 02 01) whose event type is
/// one of the four scan reports, MDC_NOTI_SCAN_REPORT_FIXED to …_MP_VAR (ISO/IEEE 11073-20601:2014, A.10.3 and A.11).
struct WitnessedCuff: CuffSimulator {
    var inner: any CuffSimulator
    let told: @Sendable () -> Void
    private var heard: [UInt8] = []

    init(inner: any CuffSimulator, told: @escaping @Sendable () -> Void) {
        self.inner = inner
        self.told = told
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened, .closed: heard = []
        case .received(let bytes):
            heard += bytes
            while heard.count >= 4 {
                let length = 4 + Int(heard[2]) << 8 + Int(heard[3])
                guard heard.count >= length else { break }
                let apdu = Array(heard[..<length])
                heard.removeFirst(length)
                guard apdu[0] == 0xE7, length >= 20, apdu[8] == 0x02, apdu[9] == 0x01, apdu[18] == 0x0D else { continue }
                if (0x1D...0x20).contains(apdu[19]) { told() }
            }
        default: break
        }
        return inner.handle(event)
    }
}

import Foundation
import Testing

/// A `cuff` that runs while the test does something else. It is killed after its limit.
final class SpawnedCuff: @unchecked Sendable {
    private let process = Process()
    private let lock = NSLock()
    private var outputBytes = Data()
    private var errorBytes = Data()
    private var openPipes = 2
    private let data = FileManager.default.temporaryDirectory.appendingPathComponent("cuff-data-\(UUID().uuidString)")
    private let ended = DispatchSemaphore(value: 0)

    init(_ arguments: [String], environment: [String: String] = [:], limit: Double = 60) throws {
        process.executableURL = URL(fileURLWithPath: CuffProcess.path)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        variables["TZ"] = "UTC"
        // Not the user's own readings.
        variables["XDG_DATA_HOME"] = data.path
        for (key, value) in environment { variables[key] = value }
        process.environment = variables
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        collect(output.fileHandleForReading) { $0.outputBytes.append($1) }
        collect(errors.fileHandleForReading) { $0.errorBytes.append($1) }
        let identifier = process.processIdentifier
        DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [weak self] in
            if self?.process.isRunning == true { kill(identifier, SIGKILL) }
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: data)
    }

    private func collect(_ handle: FileHandle, _ add: @escaping @Sendable (SpawnedCuff, Data) -> Void) {
        Thread.detachNewThread { [self] in
            while true {
                let data = handle.availableData
                lock.lock()
                if data.isEmpty { openPipes -= 1 } else { add(self, data) }
                let isLast = openPipes == 0
                lock.unlock()
                if data.isEmpty {
                    try? handle.close()
                    if isLast {
                        process.waitUntilExit()
                        ended.signal()
                    }
                    return
                }
            }
        }
    }

    var identifier: Int32 { process.processIdentifier }
    var output: String {
        lock.lock()
        defer { lock.unlock() }
        return String(decoding: outputBytes, as: UTF8.self)
    }
    var errors: String {
        lock.lock()
        defer { lock.unlock() }
        return String(decoding: errorBytes, as: UTF8.self)
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits until the output satisfies the condition; returns whether it did.
    @discardableResult
    func prints(within limit: Double = 30, _ condition: (SpawnedCuff) -> Bool) async throws -> Bool {
        let until = Date().addingTimeInterval(limit)
        while Date() < until {
            if condition(self) { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return condition(self)
    }

    /// Waits for its end, or kills it.
    func end() async -> CuffProcess {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                ended.wait()
                ended.signal()
                let isSignal = process.terminationReason == .uncaughtSignal
                continuation.resume(
                    returning: CuffProcess(
                        status: process.terminationStatus + (isSignal ? 128 : 0), output: output, errors: errors))
            }
        }
    }
}

/// A simulated cuff on a pty, and a state folder.
final class SimulatedCuff: Sendable {
    let port: String
    let driver: String
    let running: SpawnedCuff
    private let scratch: Scratch
    var state: String { scratch.path("state") }
    var environment: [String: String] { ["XDG_STATE_HOME": state, "HOME": scratch.path("home")] }

    init(_ driver: String, _ options: [String] = [], in scratch: Scratch, name: String = "port", limit: Double = 90) async throws {
        self.driver = driver
        self.scratch = scratch
        port = scratch.path(name)
        running = try SpawnedCuff(["simulate", driver, "--link", port, "--verbose", "--no-push"] + options, limit: limit)
        guard try await running.prints({ $0.output.contains("/dev/") }) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: port])
        }
    }

    deinit { running.signal(SIGTERM) }

    /// The number of deflations on command.
    var deflations: Int { running.errors.split(separator: "\n").count { $0.hasSuffix("deflated") || $0.hasSuffix("cancelled") } }

    /// `cuff VERB PORT --driver …`, with the cuff's driver or another one.
    func arguments(_ verb: String, _ more: [String] = [], as driver: String? = nil) -> [String] {
        [verb, port, "--driver", driver ?? self.driver] + more
    }
}

/// Whether tests and program were built with a sanitizer (see `.ci/sanitized`), whose memory and wake-ups hide those of `cuff`.
enum Sanitizer {
    static let isRunning: Bool = {
        guard let name = ProcessInfo.processInfo.environment["CUFF_SANITIZED"] else { return false }
        print("note: under the sanitizer `\(name)` neither memory nor wake-ups are measured")
        return true
    }()
}

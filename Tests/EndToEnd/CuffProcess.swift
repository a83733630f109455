import Foundation
import TestSupport
import Testing

/// Runs the built `cuff`.
struct CuffProcess: Sendable {
    var status: Int32
    var output: String
    var errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The printed readings, by type.
    func objects(_ type: String? = nil) -> [[String: Any]] {
        lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
            .filter { type == nil || $0["type"] as? String == type }
    }

    static let folder = ProjectFolder.url

    /// `cuff` is next to the test runner in the build folder.
    static let path: String = {
        let runner = URL(fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
        let beside = runner.deletingLastPathComponent().appendingPathComponent("cuff").path
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        return folder.appendingPathComponent(".build/debug/cuff").path
    }()

    /// Runs it to its end; after `limit` seconds it is killed and the status is 9 + 128.
    static func run(
        _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:], limit: Double = 60
    ) async throws -> CuffProcess {
        try await run(executable: path, arguments, input: input, environment: environment, limit: limit)
    }

    static func run(
        executable: String, _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:], limit: Double = 60
    ) async throws -> CuffProcess {
        try await withCheckedThrowingContinuation { continuation in
            // Not on the test runner's cooperative threads, which must not block.
            Thread.detachNewThread {
                do {
                    let process = Process()
                    process.executableURL = URL(fileURLWithPath: executable)
                    process.arguments = arguments
                    var variables = ProcessInfo.processInfo.environment
                    variables["TZ"] = "UTC"
                    // Not the user's own readings.
                    let data = FileManager.default.temporaryDirectory.appendingPathComponent("cuff-data-\(UUID().uuidString)")
                    defer { try? FileManager.default.removeItem(at: data) }
                    variables["XDG_DATA_HOME"] = data.path
                    variables["STATE_DIRECTORY"] = nil
                    for (key, value) in environment { variables[key] = value }
                    process.environment = variables
                    let (inputPipe, outputPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
                    process.standardInput = inputPipe
                    process.standardOutput = outputPipe
                    process.standardError = errorPipe
                    try process.run()
                    let errors = Collected()
                    let reader = Thread { errors.finish(errorPipe.fileHandleForReading.readDataToEndOfFile()) }
                    reader.start()
                    let writer = Thread {
                        signal(SIGPIPE, SIG_IGN)
                        try? inputPipe.fileHandleForWriting.write(contentsOf: Data(input))
                        try? inputPipe.fileHandleForWriting.close()
                    }
                    writer.start()
                    // By number: the queued item must not retain the process and its pipes.
                    let identifier = process.processIdentifier
                    let killer = DispatchWorkItem { kill(identifier, SIGKILL) }
                    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: killer)
                    let output = outputPipe.fileHandleForReading.readDataToEndOfFile()
                    process.waitUntilExit()
                    killer.cancel()
                    try? outputPipe.fileHandleForReading.close()
                    let status = process.terminationReason == .uncaughtSignal ? process.terminationStatus + 128 : process.terminationStatus
                    continuation.resume(
                        returning: CuffProcess(
                            status: status, output: String(decoding: output, as: UTF8.self),
                            errors: String(decoding: errors.wait(), as: UTF8.self)))
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    private final class Collected: @unchecked Sendable {
        private let done = DispatchSemaphore(value: 0)
        private var data = Data()
        func finish(_ data: Data) {
            self.data = data
            done.signal()
        }
        func wait() -> Data {
            done.wait()
            return data
        }
    }
}

/// A temporary folder for one test.
final class Scratch: Sendable {
    let url: URL
    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("cuff-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: url) }
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
    func write(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
        return path(name)
    }
}

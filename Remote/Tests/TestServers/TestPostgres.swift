import Foundation

/// A PostgreSQL of its own, in a temporary folder, on loopback.
public final class TestPostgres {
    public static let programs = ["/usr/lib/postgresql/17/bin", "/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/15/bin"]
        .first { FileManager.default.isExecutableFile(atPath: $0 + "/postgres") }
    public static let reason = "skipped: swift: PostgreSQL is not installed (Debian package postgresql)"
    public static var isInstalled: Bool {
        if programs == nil { print(reason) }
        return programs != nil
    }

    public let folder: String
    public let port: Int
    private let programs: String

    public init() throws {
        guard let programs = Self.programs else { throw Commands.Failure(description: Self.reason) }
        self.programs = programs
        folder = try Commands.temporaryFolder("postgres")
        port = try Commands.freePort()
        try Commands.run(Commands.asUser("postgres", ["mkdir", "\(folder)/data"]))
        try Commands.run(
            Commands.asUser("postgres", [programs + "/initdb", "-N", "-A", "trust", "-U", "postgres", "-D", "\(folder)/data"]))
        try start()
        try sql("CREATE DATABASE ward", in: "postgres")
    }

    deinit {
        _ = try? control("stop", "-m", "immediate")
        try? FileManager.default.removeItem(atPath: folder)
    }

    public func address(_ user: String = "cuff", more: String = "") -> String { "postgres://\(user)@127.0.0.1:\(port)/ward\(more)" }

    private func control(_ words: String...) throws -> Int32 {
        try Commands.run(
            Commands.asUser("postgres", [programs + "/pg_ctl", "-D", "\(folder)/data", "-l", "\(folder)/data/log"] + words), mayFail: true
        ).status
    }

    /// After `kill -9` the children of the old server must have ended first.
    public func start() throws {
        let isUp = try Commands.eventually(within: 60) {
            try control("-w", "-o", "-p \(port) -h 127.0.0.1 -k \(folder)", "start") == 0
        }
        guard isUp else { throw Commands.Failure(description: "PostgreSQL does not start: \(folder)/data/log") }
    }

    public func stop() throws { _ = try control("stop", "-m", "fast") }
    public func reload() throws { _ = try control("reload") }

    public func kill() throws {
        let text = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        guard let process = text.split(separator: "\n").first.flatMap({ Int32($0) }) else { return }
        Foundation.kill(process, SIGKILL)
    }

    /// The rows, columns separated by `|`.
    @discardableResult
    public func sql(_ text: String, in database: String = "ward", as user: String = "postgres") throws -> String {
        try Commands.run(
            [
                programs + "/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", "\(port)", "-U", user, "-d",
                database,
            ],
            input: text
        ).output.trimmingCharacters(in: .newlines)
    }

    /// What the server answers instead, when it refuses.
    public func refusal(_ text: String, as user: String) -> String {
        do {
            try sql(text, as: user)
            return ""
        } catch { return "\(error)" }
    }
}

import Foundation

/// Programs for tests: run to their end, or started and killed.
public enum Commands {
    public struct Failure: Error, CustomStringConvertible { public let description: String }

    /// A folder that every user may enter, because servers do not run as root.
    public static func temporaryFolder(_ name: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/cuff-\(name)-\(UInt32.random(in: 0..<UInt32.max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
        guard chmod(path, 0o777) == 0 else { throw Failure(description: "chmod \(path)") }
        return path
    }

    /// A port without a listener.
    public static func freePort() throws -> Int {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(file) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, size) == 0 && getsockname(file, $0, &size) == 0 }
        }
        guard result else { throw Failure(description: "no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    @discardableResult
    public static func run(
        _ words: [String], input: String = "", environment: [String: String] = [:], mayFail: Bool = false
    ) throws -> (status: Int32, output: String, errors: String) {
        let folder = try temporaryFolder("run")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = ["in", "out", "err"].map { "\(folder)/\($0)" }
        try input.write(toFile: files[0], atomically: false, encoding: .utf8)
        let open = files.map { Foundation.open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        defer { for file in open { close(file) } }
        let status = try Child(words, environment: environment, input: open[0], output: open[1], errors: open[2]).wait()
        let output = try String(contentsOfFile: files[1], encoding: .utf8)
        let errors = try String(contentsOfFile: files[2], encoding: .utf8)
        guard mayFail || status == 0 else {
            throw Failure(description: "\(words.joined(separator: " ")): \(status): \(errors)\(output)")
        }
        return (status, output, errors)
    }

    /// A program of this package, beside the tests.
    public static func program(_ name: String) -> String {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        for folder in [tests, URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../.build/debug")] {
            let path = folder.appendingPathComponent(name).standardizedFileURL.path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        return name
    }

    /// As a user that servers accept; root gives its rights away.
    static func asUser(_ user: String, _ words: [String]) -> [String] { getuid() == 0 ? ["runuser", "-u", user, "--"] + words : words }

    /// Tries until it is true, or answers false after so many seconds.
    public static func eventually(within seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
        let until = Date() + seconds
        while Date() < until {
            if try condition() { return true }
            usleep(50_000)
        }
        return try condition()
    }
}

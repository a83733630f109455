import Glibc
import RemoteSink

/// Connects and runs statements with empty input: the server still checks the role's permissions.
public enum DatabaseCheck {
    private static let connectLimit = 15.0
    private static let statementLimit = 30.0

    /// `statements` take one parameter, a JSON array.
    public static func run(_ address: PostgresAddress, _ statements: [String]) -> CheckResult {
        let connection = Connection(address, program: nil)
        var rest = statements[...]
        var progress = connection.start()
        var until = monotonicSeconds() + connectLimit
        while true {
            switch progress {
            case .failed(let fault): return fault.kind == .later ? .later(fault.text) : .fatal(fault.text)
            case .connected, .committed:
                guard let statement = rest.popFirst() else {
                    let warning = connection.isWithoutSync ? "; but \(Connection.withoutSync)" : ""
                    return .ok("the database at \(address.place) takes readings of \(user(address))\(warning)")
                }
                until = monotonicSeconds() + statementLimit
                progress = connection.execute(statement, "[]")
            case .waiting:
                let left = until - monotonicSeconds()
                guard left > 0 else { return .later("the database at \(address.place) does not answer") }
                var entry = pollfd(fd: connection.descriptor, events: connection.events, revents: 0)
                if poll(&entry, 1, Int32(left * 1000) + 1) > 0 { progress = connection.advance() }
            }
        }
    }

    private static func user(_ address: PostgresAddress) -> String { address.user.isEmpty ? "this user" : "`\(address.user)`" }
}

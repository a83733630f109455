import CPostgres
import Glibc

/// A blocking connection for commands that a person runs: one statement after another, with limits of time.
public final class Session {
    private let address: PostgresAddress
    private var handle: OpaquePointer?

    /// Of one answer; a command that shows more asks for less.
    private static let mostRows = 1_000_000
    private static let preparation = """
        SET search_path = pg_catalog; SET timezone = 'UTC'; SET lock_timeout = '10s'; SET statement_timeout = 
        """

    public init(_ address: PostgresAddress) { self.address = address }

    deinit { PQfinish(handle) }

    public var place: String { address.place }
    public var isOpen: Bool { handle != nil }

    /// Connects, and checks that the tables are new enough. `limit`: seconds for each statement.
    public func open(limit: Int = 25) throws(ServerFault) {
        close()
        handle = address.open(PQconnectdbParams)
        guard handle != nil else { throw ServerFault(.later, "out of memory", isConnectionLost: true) }
        guard PQstatus(handle) == CONNECTION_OK else {
            let fault = ServerFault(notConnected: handle, user: address.user)
            close()
            throw fault
        }
        do throws(ServerFault) {
            try check(PQexec(handle, Self.preparation + "\(limit * 1000)"))
            let version = try rows("SELECT max(version) FROM cuff.migration").first?.first.flatMap { $0 }.flatMap { Int($0) } ?? 0
            guard version >= Schema.version else { throw Schema.tooOld(version) }
        } catch {
            close()
            throw error
        }
    }

    public func close() {
        PQfinish(handle)
        handle = nil
    }

    /// The rows of a statement, as text; `nil` for NULL.
    @discardableResult
    public func rows(_ statement: String, _ parameters: [String?] = []) throws(ServerFault) -> [[String?]] {
        guard handle != nil else { throw ServerFault(.later, "not connected", isConnectionLost: true) }
        let texts = parameters.map { $0.flatMap { strdup($0) } }
        defer { for text in texts { free(text) } }
        let values = texts.map { UnsafePointer<CChar>($0) }
        let result = PQexecParams(handle, statement, Int32(values.count), nil, values, nil, nil, 0)
        defer { PQclear(result) }
        try verify(result)
        let (rows, columns) = (min(Int(PQntuples(result)), Self.mostRows), PQnfields(result))
        return (0..<rows).map { row in
            (0..<columns).map { column in
                PQgetisnull(result, Int32(row), column) == 1 ? nil : PQgetvalue(result, Int32(row), column).map { String(cString: $0) }
            }
        }
    }

    /// Everything in one transaction.
    public func transaction<Value>(_ body: (Session) throws(ServerFault) -> Value) throws(ServerFault) -> Value {
        try rows("BEGIN")
        do throws(ServerFault) {
            let value = try body(self)
            try rows("COMMIT")
            return value
        } catch {
            _ = try? rows("ROLLBACK")
            throw error
        }
    }

    private func check(_ result: OpaquePointer?) throws(ServerFault) {
        defer { PQclear(result) }
        try verify(result)
    }

    private func verify(_ result: OpaquePointer?) throws(ServerFault) {
        let status = PQresultStatus(result)
        guard status != PGRES_COMMAND_OK, status != PGRES_TUPLES_OK else { return }
        throw ServerFault(result, of: handle, user: address.user)
    }
}

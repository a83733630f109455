import CPostgres
import Glibc
import RemoteSink

/// A non-blocking libpq connection: poll its descriptor, then call `advance`. Only the name lookup blocks, which libpq
/// does in `start`.
public final class Connection {
    public enum Progress: Sendable, Equatable {
        case waiting
        case connected
        case committed
        case failed(ServerFault)
    }

    private enum Phase { case connecting, preparing, ready, executing, over }

    private let address: PostgresAddress
    private var handle: OpaquePointer?
    private var phase = Phase.over
    private var poll = PGRES_POLLING_WRITING
    /// The first error of the current statement; libpq may return further results after it.
    private var fault: ServerFault?
    /// The result of the last preparation statement.
    private var version: Int?
    private var hasUnsent = false
    private let program: String?
    private var hasWarned = false
    /// `fsync` is off: the server may lose commits in a power failure.
    public private(set) var isWithoutSync = false

    /// `program` is the prefix of warnings on standard error; `nil` for no warnings.
    public init(_ address: PostgresAddress, program: String?) {
        self.address = address
        self.program = program
    }
    deinit { PQfinish(handle) }

    /// -1 when there is nothing to wait for.
    public var descriptor: Int32 { handle == nil || phase == .over ? -1 : PQsocket(handle) }

    public var events: Int16 {
        switch phase {
        case .connecting: poll == PGRES_POLLING_READING ? Int16(POLLIN) : Int16(POLLOUT)
        case .preparing, .ready, .executing: Int16(POLLIN) | (hasUnsent ? Int16(POLLOUT) : 0)
        case .over: 0
        }
    }

    public func start() -> Progress {
        close()
        phase = .connecting
        poll = PGRES_POLLING_WRITING
        handle = address.open(PQconnectStartParams)
        guard handle != nil else { return lost("out of memory") }
        // The only way to the SQLSTATE of a refused connection.
        _ = PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        return PQstatus(handle) == CONNECTION_BAD ? notConnected() : .waiting
    }

    public func close() {
        PQfinish(handle)
        handle = nil
        phase = .over
        fault = nil
        hasUnsent = false
    }

    /// Starts a statement with one parameter; only after `connected` or `committed`.
    public func execute(_ statement: String, _ parameter: String) -> Progress {
        guard phase == .ready else { return lost("a statement is under way") }
        phase = .executing
        fault = nil
        let isSent = parameter.withCString { text in
            var values: [UnsafePointer<CChar>?] = [text]
            return PQsendQueryParams(handle, statement, 1, nil, &values, nil, nil, 0)
        }
        return isSent == 1 ? flush() : lost(message)
    }

    /// Call when the descriptor is ready.
    public func advance() -> Progress {
        switch phase {
        case .connecting: return connect()
        case .preparing, .executing: return receive()
        case .ready:
            // Unsolicited: a notice, or the end of the connection.
            return PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK ? .waiting : lost(message)
        case .over: return .waiting
        }
    }

    // MARK: Connecting

    private func connect() -> Progress {
        poll = PQconnectPoll(handle)
        switch poll {
        case PGRES_POLLING_OK: return prepare()
        case PGRES_POLLING_FAILED: return notConnected()
        default: return .waiting
        }
    }

    /// Session settings that this program relies on; the defaults of a role or database may differ.
    private static let preparation = """
        SELECT pg_catalog.set_config('synchronous_commit', 'on', false)
          WHERE pg_catalog.current_setting('synchronous_commit') NOT IN ('on', 'remote_apply');
        SET search_path = pg_catalog; SET timezone = 'UTC'; SET statement_timeout = '25s'; SET lock_timeout = '10s';
        SELECT max(version), pg_catalog.current_setting('fsync') FROM cuff.migration
        """

    private func prepare() -> Progress {
        phase = .preparing
        version = nil
        _ = PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        guard PQsetnonblocking(handle, 1) == 0, PQsendQuery(handle, Self.preparation) == 1 else { return lost(message) }
        return flush()
    }

    private func prepared() -> Progress {
        guard let version, version >= Schema.version else {
            return failed(Schema.tooOld(version ?? 0))
        }
        phase = .ready
        if isWithoutSync, !hasWarned, let program {
            hasWarned = true
            say("\(program): \(Self.withoutSync)")
        }
        return .connected
    }

    static let withoutSync = "the database runs with fsync=off and loses readings when its machine loses power"

    // MARK: Results

    private func flush() -> Progress {
        let rest = PQflush(handle)
        hasUnsent = rest == 1
        return rest < 0 ? lost(message) : .waiting
    }

    private func receive() -> Progress {
        if hasUnsent, case .failed(let fault) = flush() { return .failed(fault) }
        guard PQconsumeInput(handle) == 1 else { return lost(message) }
        while PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle) else { return finished() }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK: break
            case PGRES_TUPLES_OK: if phase == .preparing { read(result) }
            default: if fault == nil { fault = ServerFault(result, of: handle, user: address.user) }
            }
        }
        return .waiting
    }

    /// No further result: the server is ready for the next statement, so this one is committed. Its result arrives before
    /// the commit.
    private func finished() -> Progress {
        if let fault { return failed(fault) }
        guard PQstatus(handle) == CONNECTION_OK, PQtransactionStatus(handle) == PQTRANS_IDLE else { return lost(message) }
        if phase == .preparing { return prepared() }
        phase = .ready
        return .committed
    }

    private func read(_ result: OpaquePointer) {
        guard PQnfields(result) == 2, PQntuples(result) == 1 else { return }
        version = PQgetvalue(result, 0, 0).flatMap { Int(String(cString: $0)) }
        isWithoutSync = PQgetvalue(result, 0, 1).map { String(cString: $0) } == "off"
    }

    // MARK: Faults

    private func failed(_ fault: ServerFault) -> Progress {
        // A failed preparation is not repeated on the same connection.
        if fault.isConnectionLost || phase == .preparing || PQstatus(handle) == CONNECTION_BAD {
            close()
        } else {
            phase = .ready
        }
        return .failed(fault)
    }

    private func notConnected() -> Progress {
        let fault = ServerFault(notConnected: handle, user: address.user)
        close()
        return .failed(fault)
    }

    private func lost(_ text: String) -> Progress {
        let text = text.isEmpty ? "the connection was lost" : text
        close()
        return .failed(ServerFault(.later, text, isConnectionLost: true))
    }

    private var message: String { handle == nil ? "" : ServerFault.text(PQerrorMessage(handle)) }
}

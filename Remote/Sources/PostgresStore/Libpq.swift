import CPostgres
import Glibc

extension PostgresAddress {
    /// Calls a function of libpq that connects. 1: the database's name is the URI.
    func open(
        _ connect: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<UnsafePointer<CChar>?>?, Int32) -> OpaquePointer?
    ) -> OpaquePointer? {
        let keys = settings.map { UnsafePointer<CChar>(strdup($0.key)) } + [nil]
        let values = settings.map { UnsafePointer<CChar>(strdup($0.value)) } + [nil]
        defer { for text in keys + values { free(UnsafeMutablePointer(mutating: text)) } }
        return connect(keys, values, 1)
    }
}

extension ServerFault {
    /// A connection that failed.
    init(notConnected handle: OpaquePointer?, user: String) {
        self.init(
            connecting: PQerrorMessage(handle).map { String(cString: $0) } ?? "", user: user,
            needsPassword: PQconnectionNeedsPassword(handle) == 1)
    }

    /// The result of a statement that failed; `nil` if there was no memory for one.
    init(_ result: OpaquePointer?, of handle: OpaquePointer?, user: String) {
        func field(_ letter: UInt8) -> String? { PQresultErrorField(result, Int32(letter)).map { String(cString: $0) } }
        // PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY and PG_DIAG_CONSTRAINT_NAME; a broken connection has no state.
        guard let state = field(UInt8(ascii: "C")) else {
            let text = Self.text(PQresultErrorMessage(result))
            self.init(.later, text.isEmpty ? "the connection was lost" : text, isConnectionLost: true)
            return
        }
        self.init(
            state: state, message: field(UInt8(ascii: "M")) ?? "error", user: user, constraint: field(UInt8(ascii: "n")),
            isConnectionLost: PQstatus(handle) == CONNECTION_BAD)
    }

    /// The lines of a message of libpq as one.
    static func text(_ words: UnsafePointer<CChar>?) -> String {
        guard let words else { return "" }
        return String(cString: words).split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: " ")
    }
}

import CSQLite

/// What SQLite answered instead of success.
package struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// A primary result code of https://www.sqlite.org/rescode.html.
    package enum Code: Int32, Sendable {
        case error = 1, perm = 3, busy = 5, locked = 6, readOnly = 8, interrupt = 9, ioError = 10, corrupt = 11, full = 13, cannotOpen = 14
        case tooBig = 18, constraint = 19, misuse = 21, auth = 23, notADatabase = 26
        case other = -1
    }

    package let code: Code
    package let message: String

    package init(code: Code, message: String) { (self.code, self.message) = (code, message) }

    init(_ result: Int32, _ message: String) {
        code = Code(rawValue: result & 0xFF) ?? .other
        self.message = message
    }

    /// The most recent error of a connection; `nil` stands for a closed one.
    init(of connection: OpaquePointer?) {
        if let connection {
            self.init(sqlite3_errcode(connection), String(cString: sqlite3_errmsg(connection)))
        } else {
            self.init(SQLITE_MISUSE, "the connection is closed")
        }
    }

    package var description: String { "SQLite: \(message)" }
}

import GRDB

import struct Foundation.Data

/// Columns of a row that may be damaged, whatever type they have now: GRDB's own subscripts end the program where it is another one
/// than was asked for.
extension Row {
    func text(_ column: String) -> String? {
        switch (self[column] as DatabaseValue).storage {
        case .null: nil
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    func integer(_ column: String) -> Int64? {
        switch (self[column] as DatabaseValue).storage {
        case .int64(let number): number
        case .double(let number): Int64(exactly: number)
        case .string(let text): Int64(text)
        case .null, .blob: nil
        }
    }

    func int(_ column: String) -> Int? { integer(column).flatMap { Int(exactly: $0) } }

    /// Of an expression that is 0 or 1; NULL is 0.
    func flag(_ column: String) -> Bool { (integer(column) ?? 0) != 0 }

    func data(_ column: String) -> Data? {
        if case .blob(let bytes) = (self[column] as DatabaseValue).storage { bytes } else { nil }
    }
}

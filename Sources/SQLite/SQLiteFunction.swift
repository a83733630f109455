import CSQLite

final class SQLiteFunction {
    let body: (SQLiteArguments) -> Int64
    init(_ body: @escaping (SQLiteArguments) -> Int64) { self.body = body }
}

/// The arguments of one call of a function, which are valid during it. They count from 0.
@usableFromInline package struct SQLiteArguments {
    /// SQLite's numbers of its types.
    @usableFromInline package enum Kind: Int32 { case integer = 1, double, text, blob, null }

    @usableFromInline package let count: Int
    @usableFromInline let values: UnsafeMutablePointer<OpaquePointer?>?

    @inlinable package func kind(_ index: Int) -> Kind { Kind(rawValue: sqlite3_value_type(values?[index])) ?? .null }
    @inlinable package func integer(_ index: Int) -> Int64 { sqlite3_value_int64(values?[index]) }
    @inlinable package func double(_ index: Int) -> Double { sqlite3_value_double(values?[index]) }

    /// The bytes of a text or blob.
    @inlinable package func withBytes<Result>(_ index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        let value = values?[index]
        let start = sqlite3_value_type(value) == SQLITE_TEXT ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
        let bytes = UnsafeBufferPointer(
            start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
        return body(bytes.span)
    }
}

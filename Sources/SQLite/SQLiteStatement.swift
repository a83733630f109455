import CSQLite

/// A prepared statement. Its connection must not be used on another thread meanwhile. Parameters count from 1, columns from 0.
///
/// `@usableFromInline`, because the compiler otherwise inlines no method of a `package` type in other modules.
@usableFromInline package final class SQLiteStatement {
    @usableFromInline let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    // MARK: Running

    /// One step: whether there is a row to read. After the last row, and after an error, the statement can be run again.
    package func step() throws(SQLiteError) -> Bool {
        if let fault = bindingFault { throw fault }
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        defer { reset() }
        guard result == SQLITE_DONE else { throw error }
        return false
    }

    /// Ends a reading before its last row; its locks go with it.
    package func reset() { sqlite3_reset(handle) }

    /// Binds the values and steps to the end.
    package func run<each Value: SQLiteValue>(_ values: repeat each Value) throws(SQLiteError) {
        bind(repeat each values)
        while try step() {}
    }

    // MARK: Parameters

    /// Of a value that could not be bound, e.g. one that is too long. The next step throws it.
    private var bindingFault: SQLiteError?

    private func check(_ result: Int32) { if result != SQLITE_OK { bindingFault = error } }

    private var error: SQLiteError { SQLiteError(of: sqlite3_db_handle(handle)) }

    /// Binds the values in the order of the parameters.
    package func bind<each Value: SQLiteValue>(_ values: repeat each Value) {
        reset()
        clearBindings()
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            value.bind(to: self, at: index)
        }
    }

    package func clearBindings() {
        sqlite3_clear_bindings(handle)
        bindingFault = nil
    }

    package func bindNull(at index: Int32) { check(sqlite3_bind_null(handle, index)) }
    package func bind(_ value: Int64, at index: Int32) { check(sqlite3_bind_int64(handle, index, value)) }
    package func bind(_ value: Double, at index: Int32) { check(sqlite3_bind_double(handle, index, value)) }

    /// UTF-8. What SQLite does not copy must stay where it is until the statement was stepped to its end.
    package func bind(text: Span<UInt8>, at index: Int32, copies: Bool = true) {
        text.withUnsafeBufferPointer { check(csqlite_bind_text(handle, index, Self.start($0), UInt64($0.count), copies ? 1 : 0)) }
    }

    package func bind(blob: Span<UInt8>, at index: Int32, copies: Bool = true) {
        blob.withUnsafeBufferPointer { check(csqlite_bind_blob(handle, index, Self.start($0), UInt64($0.count), copies ? 1 : 0)) }
    }

    package func bind(word: StaticString, at index: Int32) {
        bind(text: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount).span, at: index, copies: false)
    }

    /// Without an address the parameter would be NULL.
    private static func start(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<CChar>? {
        UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self) ?? UnsafePointer(bitPattern: 1)
    }

    // MARK: Columns of the present row

    @inlinable package var columnCount: Int32 { sqlite3_column_count(handle) }
    @inlinable package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    @inlinable package func isInteger(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_INTEGER }
    package func isReal(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_FLOAT }
    package func isBlob(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_BLOB }
    /// 0 for NULL.
    @inlinable package func number(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    @inlinable package func integer(_ column: Int32) -> Int64? { isNull(column) ? nil : number(column) }
    @inlinable package func int(_ column: Int32) -> Int? { integer(column).flatMap { Int(exactly: $0) } }
    /// Of an expression that is 0 or 1; NULL is 0.
    @inlinable package func flag(_ column: Int32) -> Bool { number(column) != 0 }
    /// 0 for NULL.
    @inlinable package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
    /// Of a number or bytes, what SQLite makes of them.
    package func text(_ column: Int32) -> String? {
        withText(column) { $0.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
    }

    /// UTF-8, valid until the next step; `nil` for NULL.
    @inlinable package func withText<Result>(_ column: Int32, _ body: (Span<UInt8>) throws -> Result?) rethrows -> Result? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        return try body(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))).span)
    }

    /// `nil` for NULL.
    package func bytes(_ column: Int32) -> [UInt8]? {
        // NULL has no address, and no bytes have none either.
        let start = sqlite3_column_blob(handle, column)
        if start == nil && isNull(column) { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))))
    }
}

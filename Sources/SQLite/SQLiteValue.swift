/// A type that can be bound to a parameter.
package protocol SQLiteValue {
    func bind(to statement: SQLiteStatement, at index: Int32)
}

extension Int64: SQLiteValue {
    package func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(self, at: index) }
}

extension Int: SQLiteValue {
    package func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(Int64(self), at: index) }
}

extension Bool: SQLiteValue {
    package func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(Int64(self ? 1 : 0), at: index) }
}

extension Double: SQLiteValue {
    package func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(self, at: index) }
}

extension String: SQLiteValue {
    package func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(text: utf8.span, at: index) }
}

extension [UInt8]: SQLiteValue {
    package func bind(to statement: SQLiteStatement, at index: Int32) { statement.bind(blob: span, at: index) }
}

extension Optional: SQLiteValue where Wrapped: SQLiteValue {
    package func bind(to statement: SQLiteStatement, at index: Int32) {
        if let self { self.bind(to: statement, at: index) } else { statement.bindNull(at: index) }
    }
}

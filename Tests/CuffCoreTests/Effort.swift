import Foundation

/// How much of what could be tried is tried: a part, the same each time, or with `CUFF_EXHAUSTIVE=1` (`make test-exhaustive`) all.
enum Effort {
    static let isExhaustive = ProcessInfo.processInfo.environment["CUFF_EXHAUSTIVE"] == "1"

    static func choose<Value>(_ part: Value, exhaustive all: Value) -> Value { isExhaustive ? all : part }
}

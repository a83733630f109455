import Foundation

/// How much of what could be tried is tried: a part, the same each time, or with `CUFF_EXHAUSTIVE=1` (`make test-exhaustive`) all.
package enum Effort {
    package static let isExhaustive = ProcessInfo.processInfo.environment["CUFF_EXHAUSTIVE"] == "1"

    package static func choose<Value>(_ part: Value, exhaustive all: Value) -> Value { isExhaustive ? all : part }
}

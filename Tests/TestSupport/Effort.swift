import Foundation

/// The share of cases that are tested: a fixed sample, or all with `CUFF_EXHAUSTIVE=1` (`make test-exhaustive`).
package enum Effort {
    package static let isExhaustive = ProcessInfo.processInfo.environment["CUFF_EXHAUSTIVE"] == "1"

    package static func choose<Value>(_ part: Value, exhaustive all: Value) -> Value { isExhaustive ? all : part }
}

/// Carries a value that is used only on the loop's thread (or one serial queue) to that thread. It allows links and transports to
/// be plain classes.
struct LoopBound<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// Something that is touched on the loop's thread (or one serial queue) alone, on its way there. It is what lets a link and its transport be plain
/// classes: made anywhere, used in one place.
struct LoopBound<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// Numbers as cuffs print them.
enum Decimal {
    /// `value` in `width` digits, zeros on the left; the last digits of a longer number.
    static func text(_ value: Int, _ width: Int) -> String {
        String((String(repeating: "0", count: width) + String(max(0, value))).suffix(width))
    }
}

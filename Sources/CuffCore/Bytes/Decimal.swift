enum Decimal {
    /// Two digits of each value.
    static func pairs(_ values: some Sequence<Int>) -> String { values.map { text($0, 2) }.joined() }

    /// `value` in `width` digits with leading zeros; longer numbers keep their last digits.
    static func text(_ value: Int, _ width: Int) -> String {
        String((String(repeating: "0", count: width) + String(max(0, value))).suffix(width))
    }
}

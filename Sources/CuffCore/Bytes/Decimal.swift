enum Decimal {
    /// `value` in `width` digits with leading zeros; longer numbers keep their last digits.
    static func text(_ value: Int, _ width: Int) -> String {
        String((String(repeating: "0", count: width) + String(max(0, value))).suffix(width))
    }
}

/// The one list of cuff families. The order is the order of `cuff drivers` and of `cuff identify` among equals: strong
/// checks first, so that a format without a check never stands before one that has it.
public enum CuffFamilies {
    /// Every driver, in that order.
    public static let all: [CuffDriver] = [
        .andStd,
        .r1,
        .suntechAdvantage,
        .microlifeBPA100,
        .nibpNano,
        .dinamapNative,
        .berryPM6750,
        .maibobo,
        .evgmoltOEM,
        .taiDoc,
        .parNIBP,
        .dinamapASCII,
        // No check over the bytes, but lengths within lengths that must agree.
        .phd,
        .omronHBP,
        .beurerSerial,
        .paramatechFT201,
        .ampallBP868F,
        .verovalBPM25,
        .verovalDuo,
        .andUA767PC,
        // hidraw: never compared with serial bytes.
        .omronHID,
        .omronEEPROM,
        .microlifeHID,
        .contec08A,
        .beurerHID,
        .beurerBM96,
        .bptruBPM200,
    ]

    /// The driver of this id; `nil` for one that is not in the list.
    public static func named(_ id: some StringProtocol) -> CuffDriver? {
        all.first { $0.id.description == id }
    }
}

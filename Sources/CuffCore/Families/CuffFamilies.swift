/// The one list of cuff families. The order is the order of `cuff drivers` and of `cuff identify` among equals: strong
/// checks first, so that a format without a check never comes before one that has it.
public enum CuffFamilies {
    /// Every driver, in that order.
    public static let all: [CuffDriver] = [
        .andStd,
        .r1,
        .suntechAdvantage,
        .microlifeBPA100,
        .intelliVue,
        .nibpNano,
        .dinamapNative,
        .berryPM6750,
        .maibobo,
        .creativePC300,
        .evgmoltOEM,
        .taiDoc,
        .parNIBP,
        .leyutekPCT,
        .iBioBoard,
        .faNIBP,
        .dinamapASCII,
        // A sum over a whole record, with lengths that must agree.
        .geDRI,
        // No check over the bytes, but lengths within lengths that must agree.
        .phd,
        // A counted document with a check; its other lines have none.
        .uscomBPplus,
        .geUnity,
        // No check, but a frame around the text; those of the most fixed bytes first.
        .hl7ORU,
        .ansarB,
        .omronHBP,
        .beurerSerial,
        .paramatechFT201,
        .ampallBP868F,
        .verovalBPM25,
        .verovalDuo,
        .sunrom1437,
        .accutorr3,
        .andUA767PC,
        // USB pipes: the counts of its blocks must agree.
        .visomatUSB,
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

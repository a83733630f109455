/// The list of cuff families, in the order of `cuff drivers` and of `cuff identify` among equals: strong checks first, so that a format
/// without a check never precedes one with it.
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
        // A sum over a whole record, with consistent lengths.
        .geDRI,
        // No check over the bytes, but consistent nested lengths.
        .phd,
        // A counted document with a check; its other lines have none.
        .uscomBPplus,
        .geUnity,
        // No check, but a frame around the text; those with the most fixed bytes first.
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

    /// The driver of this id, if any.
    public static func named(_ id: some StringProtocol) -> CuffDriver? {
        all.first { $0.id.description == id }
    }
}

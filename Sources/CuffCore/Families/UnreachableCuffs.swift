/// The list of cuffs that cannot be read, with reasons.
public enum UnreachableCuffs {
    /// Every entry; `cuff drivers` searches it beside the list of drivers.
    public static let all: [UnreachableCuff] = [
        UnreachableCuff(
            [
                "Omron HEM-7322T (M700 Intelli IT)", "Omron HEM-7361T (M500 Intelli IT, M7 Intelli IT)", "Omron HEM-7600T (Evolv)",
                "Omron HEM-7155T (M400)", "Omron HEM-7530T (Complete)", "Omron HEM-7150T (BP7250)", "Omron HEM-7342T (BP7450)",
                "Omron HEM-6232T", "Omron HEM-6161T", "Omron HEM-6321T", "Omron HEM-7140T", "Omron HEM-7144T2", "Omron HEM-7280T",
                "Omron HEM-7377T1", "Omron HEM-7380T1", "Omron BP4350",
            ],
            .bluetooth, instead: omblepy, source: "github.com/userx14/omblepy, README.md (support matrix) and deviceSpecific/"),
        UnreachableCuff(
            ["Omron HEM-7142T2", "Omron HEM-7320T"], .bluetooth,
            instead: "github.com/eigger/hass-omron reads it into Home Assistant; `cuff add` takes single readings",
            source: "github.com/eigger/hass-omron, README.md (supported models)"),
        UnreachableCuff(
            ["Medisana BU 546 connect"], .bluetooth,
            instead: "github.com/bkbilly/medisanabp_ble reads Medisana cuffs into Home Assistant; `cuff add` takes single readings",
            source: "chipotons.blogspot.com, 2 November 2022; github.com/bkbilly/medisanabp_ble, README.md"),
        UnreachableCuff(
            [
                "Omron HEM-907", "Omron HBP-1300", "Welch Allyn ProBP", "Welch Allyn Spot Vital Signs", "Spacelabs 90207",
                "Spacelabs 90217", "IEM Mobil-O-Graph", "Hartmann Tensoval", "A&D TM-2430", "A&D TM-2441", "SunTech Oscar 2",
                "Contec ABPM50", "Contec 08C", "Microlife WatchBP O3", "CAS MAXNIBP",
            ],
            .unpublished,
            instead: "a recording of it beside its own program would help; CONTRIBUTING.md says how",
            source: "searched for in public repositories and manuals in November 2026, and not found"),
    ]

    private static let omblepy = "github.com/userx14/omblepy reads it over Bluetooth; `cuff add` takes single readings"
}

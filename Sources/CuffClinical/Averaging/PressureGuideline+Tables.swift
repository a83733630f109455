extension PressureGuideline {
    /// Every guideline that can be named.
    public static let all: [PressureGuideline] = [
        niceNG136, esh2021, escESH2018, esh2023, esc2024, accAHA(2017), accAHA(2025), jsh2019,
    ]

    static let niceNG136 = PressureGuideline(
        name: "nice-ng136", title: "NICE NG136", year: 2019,
        thresholds: [
            .home: PressureThreshold(135, 85, .guideline), .office: PressureThreshold(140, 90, .guideline),
            .ambulatoryDay: PressureThreshold(135, 85, .guideline),
        ],
        classes: [
            .home: PressureClasses(
                "below stage 1", [.init("stage 1", .from(135), .from(85)), .init("stage 2", .from(150), .from(95))], .guideline)
        ],
        source: "NICE guideline NG136, recommendations, nice.org.uk")

    /// The thresholds of the European Society of Hypertension, the same in 2021 and 2023.
    private static let eshThresholds: [PressureSetting: PressureThreshold] = [
        .office: PressureThreshold(140, 90, .unverified), .home: PressureThreshold(135, 85, .unverified),
        .ambulatoryDay: PressureThreshold(135, 85, .guideline), .ambulatoryNight: PressureThreshold(120, 70, .unverified),
        .ambulatory24h: PressureThreshold(130, 80, .guideline),
    ]

    private static let eshHome = PressureClasses(
        "normal", [.init("borderline", .from(130), .from(80)), .init("hypertension", .from(135), .from(85))], .partly)

    static let esh2021 = PressureGuideline(
        name: "esh-2021", title: "European Society of Hypertension", year: 2021, thresholds: eshThresholds, classes: [.home: eshHome],
        source: "Stergiou et al., J Hypertens 39:1293 (abstract); PMC8030885, table 3")

    private static let europeanOffice = PressureClasses(
        "optimal",
        [
            .init("normal", .from(120), .from(80)), .init("high-normal", .from(130), .from(85)), .init("grade 1", .from(140), .from(90)),
            .init("grade 2", .from(160), .from(100)), .init("grade 3", .from(180), .from(110)),
        ],
        isolatedSystolic: (140, 90), .secondary)

    static let escESH2018 = PressureGuideline(
        name: "esc-esh-2018", title: "European Society of Cardiology and European Society of Hypertension", year: 2018, thresholds: [:],
        classes: [.office: europeanOffice], source: "summaries of the office classes, biologyinsights and clinit.app")

    static let esh2023 = PressureGuideline(
        name: "esh-2023", title: "European Society of Hypertension", year: 2023, thresholds: eshThresholds,
        classes: [.home: eshHome, .office: europeanOffice],
        source: "PMC8030885, table 3 (home); summaries of the office classes, biologyinsights and clinit.app")

    static let esc2024 = PressureGuideline(
        name: "esc-2024", title: "European Society of Cardiology", year: 2024,
        thresholds: [
            .office: PressureThreshold(140, 90, .guideline), .home: PressureThreshold(135, 85, .secondary),
            .ambulatoryDay: PressureThreshold(135, 85, .unverified), .ambulatoryNight: PressureThreshold(120, 70, .unverified),
            .ambulatory24h: PressureThreshold(130, 80, .unverified),
        ],
        classes: [
            .office: PressureClasses(
                "non-elevated", [.init("elevated", .from(120), .from(70)), .init("hypertension", .from(140), .from(90))], .guideline),
            .home: PressureClasses(
                "non-elevated", [.init("elevated", .from(120), .from(70)), .init("hypertension", .from(135), .from(85))], .secondary),
        ],
        source: "escardio.org and pace-cme.org summaries (office); droracle.ai 610688 citing ESC 2024 (home)")

    /// The numbers are the same in 2017 and 2025; the highest class has another name.
    static func accAHA(_ year: Int) -> PressureGuideline {
        PressureGuideline(
            name: "acc-aha-\(year)", title: "American College of Cardiology and American Heart Association", year: year,
            thresholds: [
                .office: PressureThreshold(130, 80, .guideline), .home: PressureThreshold(130, 80, .guideline),
                .ambulatoryDay: PressureThreshold(130, 80, .guideline), .ambulatoryNight: PressureThreshold(110, 65, .guideline),
                .ambulatory24h: PressureThreshold(125, 75, .guideline),
            ],
            classes: [
                .office: PressureClasses(
                    "normal",
                    [
                        .init("elevated", .from(120), .none), .init("stage 1", .from(130), .from(80)),
                        .init("stage 2", .from(140), .from(90)),
                        .init(year < 2025 ? "crisis" : "severe", .above(180), .above(120)),
                    ], .guideline),
                .home: PressureClasses(
                    "normal",
                    [
                        .init("elevated", .from(120), .none), .init("stage 1", .from(130), .from(80)),
                        .init("stage 2", .from(135), .from(85)),
                    ], .guideline),
            ],
            source: "2025 AHA/ACC pocket guideline, table 7, guidelinecentral.com; bmccardiovascdisord 12872-019-1259-0")
    }

    static let jsh2019 = PressureGuideline(
        name: "jsh-2019", title: "Japanese Society of Hypertension", year: 2019,
        thresholds: [
            .office: PressureThreshold(140, 90, .guideline), .home: PressureThreshold(135, 85, .unverified),
            .ambulatoryDay: PressureThreshold(135, 85, .unverified), .ambulatoryNight: PressureThreshold(120, 70, .unverified),
            .ambulatory24h: PressureThreshold(130, 80, .unverified),
        ],
        classes: [
            .office: PressureClasses(
                "normal",
                [
                    .init("high-normal", .from(120), .none), .init("elevated", .from(130), .from(80)),
                    .init("grade I", .from(140), .from(90)), .init("grade II", .from(160), .from(100)),
                    .init("grade III", .from(180), .from(110)),
                ],
                isolatedSystolic: (140, 90), .secondary),
            .home: PressureClasses(
                "normal",
                [
                    .init("high-normal", .from(115), .none), .init("elevated", .from(125), .from(75)),
                    .init("grade I", .from(135), .from(85)), .init("grade II", .from(145), .from(90)),
                    .init("grade III", .from(160), .from(100)),
                ],
                isolatedSystolic: (135, 85), .unverified),
        ],
        source: "Kario, JSH 2019, PMC6875598 (abstract); carenet and seitaibunseki summaries of the office classes")
}

extension PressureGuideline {
    /// Every guideline.
    public static let all: [PressureGuideline] = [
        niceNG136, esh2021, escESH2018, esh2023, esc2024, american(.accAHA2017), american(.ahaACC2025), hypertensionCanada2020,
        hypertensionCanada2025, jsh2019, jsh2025, ish2020, hopeAsia2023, taiwan2022,
    ]

    /// The numbers are the same in 2017 and 2025. Pressures above 180/120 are no class of a mean: in 2017 "crisis" and in 2025
    /// "severe" also depend on what organs suffer.
    static func american(_ document: GuidelineDocument) -> PressureGuideline {
        let isNew = document == .ahaACC2025
        let table = isNew ? "Table 7, pocket guideline, guidelinecentral.com" : "Table 11"
        return PressureGuideline(
            document: document,
            thresholds: [
                .office: PressureThreshold(130, 80, .guideline, at: isNew ? "2025 Guideline-at-a-Glance" : "Table 6"),
                .home: PressureThreshold(130, 80, .guideline, at: table),
                .ambulatoryDay: PressureThreshold(
                    130, 80, .guideline, isNew ? "SBP ≥130 mm Hg or DBP ≥80 mm Hg when using awake BP" : "", at: table),
                .ambulatoryNight: PressureThreshold(
                    110, 65, .guideline,
                    isNew ? "It remains unclear whether asleep BP should be used to determine high out-of-office BP" : "", at: table),
                .ambulatory24h: PressureThreshold(125, 75, .guideline, at: table),
            ],
            classes: [
                .office: PressureClasses(
                    "normal",
                    [
                        .init("elevated", 120, nil), .init("stage 1", 130, 80),
                        .init("stage 2", 140, 90),
                    ], .guideline, at: isNew ? "2025 Guideline-at-a-Glance" : "Table 6"),
                .home: PressureClasses(
                    "normal",
                    [
                        .init("elevated", 120, nil), .init("stage 1", 130, 80),
                        .init("stage 2", 135, 85),
                    ], .derived, at: table),
            ])
    }

    static let hypertensionCanada2020 = PressureGuideline(
        document: .hypertensionCanada2020,
        thresholds: [
            .home: PressureThreshold(
                135, 85, .guideline, "values 135/85mm Hg or higher are considered high", at: "hypertension.ca, measuring blood pressure"),
            .office: PressureThreshold(140, 90, .secondary, at: "torontonotes.ca"),
            .ambulatoryDay: PressureThreshold(135, 85, .secondary, at: "torontonotes.ca"),
            .ambulatory24h: PressureThreshold(130, 80, .secondary, at: "torontonotes.ca"),
        ],
        classes: [:])

    /// One definition for all settings; separate ambulatory thresholds were not found.
    static let hypertensionCanada2025: PressureGuideline = {
        let words = "a uniform definition for hypertension of BP [≥] 130/80 mm Hg"
        return PressureGuideline(
            document: .hypertensionCanada2025,
            thresholds: [
                .home: PressureThreshold(130, 80, .guideline, words, at: "abstract, evidencealerts.com/116760"),
                .office: PressureThreshold(130, 80, .guideline, words, at: "abstract, evidencealerts.com/116760"),
            ],
            classes: [:])
    }()

    private static let japaneseOffice = PressureClasses(
        "normal",
        [
            .init("high-normal", 120, nil), .init("elevated", 130, 80), .init("grade I", 140, 90),
            .init("grade II", 160, 100), .init("grade III", 180, 110),
        ],
        isolated: [.init(isSystolic: true, from: 140, below: 90, evidence: .secondary)], .secondary, at: "jiji.com, from p. 18 of the book")

    private static let japaneseHome = PressureClasses(
        "normal",
        [
            .init("high-normal", 115, nil), .init("elevated", 125, 75), .init("grade I", 135, 85),
            .init("grade II", 145, 90), .init("grade III", 160, 100),
        ],
        isolated: [.init(isSystolic: true, from: 135, below: 85, evidence: .unverified)], .secondary,
        at: "suntory-kenko.com (grades); sekine-naika.com and a public program that names JSH 2019 (below them)")

    static let jsh2019 = PressureGuideline(
        document: .jsh2019,
        thresholds: [
            .office: PressureThreshold(140, 90, .secondary, at: "jiji.com, from p. 18 of the book"),
            .home: PressureThreshold(135, 85, .secondary, "朝・晩いずれかの平均値", at: "ohasama-study.jp"),
            .ambulatoryDay: PressureThreshold(135, 85, .unverified), .ambulatoryNight: PressureThreshold(120, 70, .unverified),
            .ambulatory24h: PressureThreshold(130, 80, .unverified),
        ],
        classes: [.office: japaneseOffice, .home: japaneseHome], comparesMorningAndEvening: true)

    /// Thresholds and classes as in 2019; ambulatory ones were not found.
    static let jsh2025: PressureGuideline = {
        let clinics = "totsukaclinic.com, fukuoka-naikaclinic.jp and kusatsu-hidamariclinic.com, which agree"
        return PressureGuideline(
            document: .jsh2025,
            thresholds: [
                .office: PressureThreshold(140, 90, .secondary, at: clinics), .home: PressureThreshold(135, 85, .secondary, at: clinics),
            ],
            classes: [.office: japaneseOffice, .home: japaneseHome], comparesMorningAndEvening: true)
    }()

    static let ish2020: PressureGuideline = {
        let source = "reference.medscape.com/viewarticle/931364; AFP 2021;103:763"
        func threshold(_ systolic: Int, _ diastolic: Int) -> PressureThreshold {
            PressureThreshold(systolic, diastolic, .secondary, at: source)
        }
        return PressureGuideline(
            document: .ish2020,
            thresholds: [
                .office: threshold(140, 90), .home: threshold(135, 85), .ambulatoryDay: threshold(135, 85),
                .ambulatoryNight: threshold(120, 70), .ambulatory24h: threshold(130, 80),
            ],
            classes: [
                .office: PressureClasses(
                    "normal",
                    [
                        .init("high-normal", 130, 85), .init("grade 1", 140, 90),
                        .init("grade 2", 160, 100),
                    ], isolated: [.init(isSystolic: true, from: 140, below: 90, evidence: .secondary)], .secondary, at: source)
            ], officeValue: .meanOfLastTwo)
    }()

    static let hopeAsia2023: PressureGuideline = {
        let (pressures, hours) = (
            "140/90 mmHg for office BP and 135/ 85 mmHg for home BP",
            "130/80 mmHg, 135/85 mmHg, and 120/ 70 mmHg for 24-h average, daytime (awake), and nighttime (asleep)"
        )
        return PressureGuideline(
            document: .hopeAsia2023,
            thresholds: [
                .office: PressureThreshold(140, 90, .guideline, pressures), .home: PressureThreshold(135, 85, .guideline, pressures),
                .ambulatoryDay: PressureThreshold(135, 85, .guideline, hours),
                .ambulatoryNight: PressureThreshold(120, 70, .guideline, hours),
                .ambulatory24h: PressureThreshold(130, 80, .guideline, hours),
            ],
            classes: [:])
    }()

    static let taiwan2022 = PressureGuideline(
        document: .taiwan2022,
        thresholds: [.home: PressureThreshold(130, 80, .secondary, at: "quoted in Kario et al., Hypertens Res 46:2561")], classes: [:])
}

extension PressureGuideline {
    /// A stage needs two values, so a single mean is only in the range of a stage. At the clinic the lower of the last two measurements
    /// counts.
    static let niceNG136: PressureGuideline = {
        let terms = "Terms used in this guideline"
        func stages(_ first: (Int, Int), _ second: (Int, Int), needs condition: String) -> [PressureClasses.Class] {
            [
                .init("in the range of stage 1", first.0, first.1, condition: condition),
                .init("in the range of stage 2", second.0, second.1, condition: condition),
            ]
        }
        let home = PressureClasses(
            "below stage 1", stages((135, 85), (150, 95), needs: "a stage needs the clinic blood pressure, too"), .guideline, at: terms)
        let office = PressureClasses(
            "below stage 1",
            stages((140, 90), (160, 100), needs: "a stage needs the mean at home or by day, too")
                + [.init("stage 3 or severe", 180, 120)], .guideline, at: terms)
        return PressureGuideline(
            document: .niceNG136,
            thresholds: [
                .home: PressureThreshold(135, 85, .guideline, at: "1.2.8, beside a clinic blood pressure of 140/90 or higher"),
                .office: PressureThreshold(140, 90, .guideline, at: "1.2.8, beside a home or daytime mean of 135/85 or higher"),
                .ambulatoryDay: PressureThreshold(135, 85, .guideline, at: "1.2.8, beside a clinic blood pressure of 140/90 or higher"),
            ],
            classes: [.home: home, .ambulatoryDay: home, .office: office], officeValue: .lowerOfLastTwo)
    }()

    private static let eshHome = PressureClasses(
        "normal", [.init("borderline", 130, 80, .unverified), .init("hypertension", 135, 85)], .secondary,
        at: "Box 7, quoted by Analitix")

    static let esh2021 = PressureGuideline(
        document: .esh2021,
        thresholds: [
            .home: PressureThreshold(
                135, 85, .secondary, "Average home BP ≥135/85 mmHg indicates hypertension", at: "Box 7, quoted by Analitix"),
            .office: PressureThreshold(140, 90, .unverified), .ambulatoryDay: PressureThreshold(135, 85, .unverified),
            .ambulatoryNight: PressureThreshold(120, 70, .unverified), .ambulatory24h: PressureThreshold(130, 80, .unverified),
        ],
        classes: [.home: eshHome], officeValue: .meanOfLastTwo)

    /// The classes of ESC/ESH 2018, which ESH 2023 kept.
    private static let sixClasses = PressureClasses(
        "optimal",
        [
            .init("normal", 120, 80), .init("high-normal", 130, 85), .init("grade 1", 140, 90),
            .init("grade 2", 160, 100), .init("grade 3", 180, 110),
        ],
        isolated: [
            .init(isSystolic: true, from: 140, below: 90, evidence: .secondary),
            .init(isSystolic: false, from: 90, below: 140, evidence: .unverified),
        ], .secondary, at: "clinit.app; m3india.in, 2023-07-21; colinskiis/guidelime")

    static let escESH2018 = PressureGuideline(document: .escESH2018, thresholds: [:], classes: [.office: sixClasses])

    static let esh2023: PressureGuideline = {
        let table = "Table 4, as copied into a public program that was checked with it"
        return PressureGuideline(
            document: .esh2023,
            thresholds: [
                .home: PressureThreshold(135, 85, .secondary, at: table),
                .office: PressureThreshold(140, 90, .secondary, at: "m3india.in, 2023-07-21"),
                .ambulatoryDay: PressureThreshold(135, 85, .secondary, at: table),
                .ambulatoryNight: PressureThreshold(120, 70, .secondary, at: table),
                .ambulatory24h: PressureThreshold(130, 80, .secondary, at: table),
            ],
            classes: [.home: eshHome, .office: sixClasses])
    }()

    static let esc2024: PressureGuideline = {
        let table = "Table 5, p. 3933"
        func classes(elevated: (Int, Int), hypertension: (Int, Int)) -> PressureClasses {
            PressureClasses(
                "non-elevated",
                [
                    .init("elevated", elevated.0, elevated.1),
                    .init("hypertension", hypertension.0, hypertension.1),
                ], .guideline, at: table)
        }
        return PressureGuideline(
            document: .esc2024,
            thresholds: [
                .office: PressureThreshold(140, 90, .guideline, at: table),
                .home: PressureThreshold(
                    135, 85, .guideline,
                    "An average HBPM of ≥135/85 mmHg (equivalent to an office BP of ≥140/90 mmHg) should be used to diagnose hypertension",
                    at: "p. 3931–3932 and Table 5"),
                .ambulatoryDay: PressureThreshold(135, 85, .guideline, at: table),
                .ambulatoryNight: PressureThreshold(120, 70, .guideline, at: table),
                .ambulatory24h: PressureThreshold(130, 80, .guideline, at: table),
            ],
            classes: [
                .office: classes(elevated: (120, 70), hypertension: (140, 90)),
                .home: classes(elevated: (120, 70), hypertension: (135, 85)),
                .ambulatoryDay: classes(elevated: (120, 70), hypertension: (135, 85)),
                .ambulatoryNight: classes(elevated: (110, 60), hypertension: (120, 70)),
                .ambulatory24h: classes(elevated: (115, 65), hypertension: (130, 80)),
            ], officeValue: .meanOfLastTwo)
    }()
}

/// A published source of rules and tables.
package struct GuidelineDocument: Sendable, Hashable {
    /// The society or program and the year: the name on the command line.
    package var id: String
    /// Other names that are accepted for it.
    package var otherNames: [String] = []
    /// Who published it.
    package var society: String
    /// The date of publication as far as known: `2024-08-30`, `2018`; empty if the text has no date.
    package var date: String
    /// The latest revision that did not change these numbers; empty for none.
    package var updated = ""
    /// Where a reader finds it.
    package var citation: String
    /// Its digital object identifier; empty for none.
    package var doi = ""
    /// The id of the document that supersedes it; `nil` if none was found.
    package var supersededBy: String?

    /// The year of publication; `nil` if the text has no date.
    package var year: Int? { Int(date.prefix(4)) }
    package var successor: GuidelineDocument? { supersededBy.flatMap { id in Self.all.first { $0.id == id } } }

    func isNamed(_ name: String) -> Bool { id == name || otherNames.contains(name) }
}

extension GuidelineDocument {
    /// Every document, those of one society by their dates.
    package static let all: [GuidelineDocument] = [
        niceNG136, escESH2018, esh2021, esh2023, esc2024, accAHA2017, aha2020, ahaACC2025, hypertensionCanada2017, hypertensionCanada2020,
        hypertensionCanada2025, jsh2019, jsh2025, ish2020, taiwan2022, hopeAsia2023, cardX,
    ]

    static let niceNG136 = GuidelineDocument(
        id: "nice-ng136", society: "NICE NG136", date: "2019-08-28", updated: "2026-02-26",
        citation: "NICE guideline NG136, recommendations, nice.org.uk/guidance/NG136")

    /// Superseded by ESC 2024 for one society and by ESH 2023 for the other.
    static let escESH2018 = GuidelineDocument(
        id: "esc-esh-2018", society: "European Society of Cardiology and European Society of Hypertension", date: "2018",
        citation: "2018 ESC/ESH guidelines; replaced by ESC 2024 and by ESH 2023", supersededBy: "esc-2024")

    static let esh2021 = GuidelineDocument(
        id: "esh-2021", society: "European Society of Hypertension", date: "2021-07", citation: "Stergiou et al., J Hypertens 39:1293",
        doi: "10.1097/HJH.0000000000002843")

    static let esh2023 = GuidelineDocument(
        id: "esh-2023", society: "European Society of Hypertension", date: "2023-12",
        citation: "Mancia, Kreutz et al., J Hypertens 41:1874",
        doi: "10.1097/HJH.0000000000003480")

    static let esc2024 = GuidelineDocument(
        id: "esc-2024", society: "European Society of Cardiology", date: "2024-08-30", citation: "McEvoy et al., Eur Heart J 45:3912",
        doi: "10.1093/eurheartj/ehae178")

    static let accAHA2017 = GuidelineDocument(
        id: "acc-aha-2017", society: "American College of Cardiology and American Heart Association", date: "2017-11-13",
        citation: "Whelton et al., Hypertension 71:e13", doi: "10.1161/HYP.0000000000000065", supersededBy: "acc-aha-2025")

    static let aha2020 = GuidelineDocument(
        id: "aha-2020", society: "American Heart Association and American Medical Association", date: "2020-06-22",
        citation: "Shimbo et al., Circulation 142:e42", doi: "10.1161/CIR.0000000000000803")

    static let ahaACC2025 = GuidelineDocument(
        id: "acc-aha-2025", otherNames: ["aha-acc-2025"], society: "American Heart Association and American College of Cardiology",
        date: "2025-08-14", citation: "Jones et al., Circulation 152:e114", doi: "10.1161/CIR.0000000000001356")

    static let hypertensionCanada2017 = GuidelineDocument(
        id: "htn-canada-2017", otherNames: ["htn-canada"], society: "Hypertension Canada", date: "2017",
        citation: "CHEP 2017, home and ambulatory tables, medsquares.com", supersededBy: "htn-canada-2025")

    static let hypertensionCanada2020 = GuidelineDocument(
        id: "htn-canada-2020", society: "Hypertension Canada", date: "2020", citation: "Rabi et al., Can J Cardiol 36:596",
        doi: "10.1016/j.cjca.2020.02.086", supersededBy: "htn-canada-2025")

    static let hypertensionCanada2025 = GuidelineDocument(
        id: "htn-canada-2025", society: "Hypertension Canada", date: "2025-05-25", citation: "Goupil et al., CMAJ 197:E549",
        doi: "10.1503/cmaj.241770")

    static let jsh2019 = GuidelineDocument(
        id: "jsh-2019", society: "Japanese Society of Hypertension", date: "2019-04", citation: "Umemura et al., Hypertens Res 42:1235",
        supersededBy: "jsh-2025")

    static let jsh2025 = GuidelineDocument(
        id: "jsh-2025", society: "Japanese Society of Hypertension", date: "2025-07-25",
        citation:
            "Guidelines for the management of elevated blood pressure and hypertension 2025; editorial Hypertens Res s41440-025-02296-8")

    static let ish2020 = GuidelineDocument(
        id: "ish-2020", society: "International Society of Hypertension", date: "2020-05-06",
        citation: "Unger et al., Hypertension 75:1334", doi: "10.1161/HYPERTENSIONAHA.120.15026")

    static let taiwan2022 = GuidelineDocument(
        id: "taiwan-2022", society: "Taiwan hypertension guidelines", date: "2022",
        citation: "quoted in Kario et al., Hypertens Res 46:2561")

    static let hopeAsia2023 = GuidelineDocument(
        id: "hope-asia-2023", society: "HOPE Asia Network", date: "2023-08-21", citation: "Kario et al., Hypertens Res 46:2561",
        doi: "10.1038/s41440-023-01397-6")

    static let cardX = GuidelineDocument(
        id: "cardx", society: "HL7 CardX", date: "", citation: "HL7 CardX Hypertension Management IG, SMBP example readings")
}

import ArgumentParser
import CuffClinical
import CuffIngest

struct ReportVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "report", "Makes the page to take to the doctor: chart, averages, readings, and what was left out.",
        """
        One HTML file that loads nothing; -o FILE.pdf prints it through a browser that is installed (Chromium, Chrome, Edge or Brave), else WeasyPrint. \
        It is written only when it is whole. Each person gets a section of their own; --user chooses one. The first box has the average \
        by --rule, how it compares, and how complete it is; --ambulatory adds the evaluation of a day and a night of automatic \
        measurements.

        \(Help.intendedUse)
        """,
        examples: [
            "cuff report --since 30d": "The last thirty days, into report.html.",
            "cuff report --since 30d --no-readings -o report.pdf": "The same without the table of the readings, on paper.",
            "cuff report --explain --lang de": "In German, with an appendix from which each average can be recomputed.",
            "cuff report --user 1 --person \"A. Example\" -o - > page.html": "The page of user 1, with a name on it.",
        ])

    @OptionGroup var selected: SelectionOptions
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file; `-` is standard output (default: report.html, or report-2.html and so on, if that exists).", valueName: "file"),
        completion: .file())
    var output: String?
    @Flag(name: .shortAndLong, help: "Replace an existing file.") var force = false
    @Option(help: ArgumentHelp("Patient name to print; with readings of several persons, choose one with --user.", valueName: "name"))
    var person = ""
    @Flag(help: "Leave out readings with movement, a loose cuff or a wrong position.") var undisturbed = false

    @OptionGroup var average: AverageOptions
    @Flag(help: "Also evaluate the latest day and night of automatic measurements.") var ambulatory = false
    @OptionGroup var planned: AmbulatoryOptions
    @Option(help: "a4 (the default) or letter.") var paper: ReportPage.Paper = .a4
    @Flag(help: "Leave out the table of the readings.") var noReadings = false
    @Flag(help: "Add where each number comes from: the rule, the exact averages, and each reading with its id.") var explain = false
    @Option(
        help: "en or de (default: that of the configuration, else English).", completion: .list(Language.all.map(\.code)))
    var lang: String?

    func run() throws {
        let request = try request()
        let guideline = request.guideline
        try Flags.refuse(
            "--asleep, --awake or --every", when: planned.isSet && !ambulatory, why: "they belong to a recording", hint: "add --ambulatory")
        let plan = try planned.plan()
        let store = try selected.store()
        // With the default name, use a free one instead of failing or replacing a page.
        let usual = "report.html"
        let output = output ?? (force ? usual : OutputFile.free(usual) ?? usual)
        let (counted, leftOut) = try HealthRuns.report(
            store, try selected.readingSelection("report"), request, isPrinted: output.lowercased().hasSuffix(".pdf"),
            to: try OutputFile(output, replaces: force)
        ) { (report, own) throws(IngestError) in
            if ambulatory { report.blocks = try recordings(store, own, plan, guideline, request.language) }
        }
        if output != "-" { Terminal.say("cuff: \(output): \(Plural.text(counted, "reading")), \(leftOut) left out") }
    }

    private func request() throws -> ReportRequest {
        var request = ReportRequest(try average.request())
        request.average.excludesDisturbed = undisturbed
        request.guideline = try average.chosenGuideline(request.average.rule)
        (request.setting, request.isAdult) = (average.setting, average.adult)
        (request.person, request.paper) = (person, paper)
        (request.listsReadings, request.explains) = (!noReadings, explain)
        request.generator = "cuff \(Cuff.version)"
        if let lang {
            guard let language = Language.named(lang) else {
                let known = Language.all.map(\.code).joined(separator: ", ")
                throw IngestError(.usage, "unknown language `\(lang)`", why: "languages are \(known)", hint: "write e.g. --lang de")
            }
            request.language = language
        } else {
            request.language = try CuffConfiguration.load().report.language ?? .english
        }
        return request
    }

    private func recordings(
        _ store: Store, _ own: ReadingSelection, _ plan: AmbulatoryPlan, _ guideline: PressureGuideline?, _ language: Language
    ) throws(IngestError) -> [ReportBlock] {
        var blocks: [ReportBlock] = []
        for person in try HealthRuns.recordings(store, own, rule: .usual, plan: plan) {
            switch person.result {
            case .failure(let fault): throw AmbulatoryOptions.error(fault)
            case .success(let recording):
                blocks.append(AmbulatoryBlock(recording, guideline, isAdult: average.adult, language: language).drawn)
            }
        }
        return blocks
    }
}

extension ReportPage.Paper: ExpressibleByArgument {}

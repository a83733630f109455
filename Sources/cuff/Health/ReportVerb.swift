import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest

struct ReportVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", _superCommandName: Cuff.name,
        abstract: "Makes the page to take to the doctor: chart, averages, readings, and what was left out.",
        discussion: Help.text(
            """
            One HTML file that loads nothing; -o FILE.pdf prints it through a browser that is installed (Chromium, Chrome, Edge or Brave). \
            It is written only when it is whole. Each \
            person gets a section of their own; --user chooses one. Each begins with the average by --rule; --ambulatory \
            adds the evaluation of a day and a night of automatic measurements.
            """,
            [
                "cuff report --since 30d": "The last thirty days, into report.html.",
                "cuff report --since 30d --no-readings -o report.pdf": "The same without the table of the readings, on paper.",
                "cuff report --user 1 --person \"A. Example\" -o - > page.html": "The page of user 1, with a name on it.",
            ]))

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

    func run() throws {
        var request = try average.request()
        request.excludesDisturbed = undisturbed
        let guideline = try average.chosenGuideline(request.rule)
        try Flags.refuse(
            "--asleep, --awake or --every", when: planned.isSet && !ambulatory, why: "they belong to a recording", hint: "add --ambulatory")
        let plan = try planned.plan()
        let store = try selected.store()
        // With the default name, use a free one instead of failing or replacing a page.
        let usual = "report.html"
        let output = output ?? (force ? usual : OutputFile.free(usual) ?? usual)
        let (counted, leftOut) = try HealthRuns.report(
            store, try selected.readingSelection("report"), person: person, excludesDisturbed: undisturbed,
            lines: ReferenceLines(guideline, average.setting), windows: request.windows, generator: "cuff \(Cuff.version)", paper: paper,
            isPrinted: output.lowercased().hasSuffix(".pdf"), to: try OutputFile(output, replaces: force)
        ) { (report, own) throws(IngestError) in
            report.listsReadings = !noReadings
            let run = try HealthRuns.average(store, own, request)
            let lines = AverageLines(sources: run.sources, guideline: guideline, setting: average.setting, isAdult: average.adult)
            report.blocks = AverageText(lines: lines).blocks(run.averages)
            if ambulatory { report.blocks += try recordings(store, own, plan, guideline) }
        }
        if output != "-" { Terminal.say("cuff: \(output): \(Plural.text(counted, "reading")), \(leftOut) left out") }
    }

    private func recordings(
        _ store: Store, _ own: ReadingSelection, _ plan: AmbulatoryPlan, _ guideline: PressureGuideline?
    ) throws(IngestError) -> [ReportBlock] {
        var blocks: [ReportBlock] = []
        for person in try HealthRuns.recordings(store, own, rule: .usual, plan: plan) {
            switch person.result {
            case .failure(let fault): throw AmbulatoryOptions.error(fault)
            case .success(let recording):
                var block = AmbulatoryText(recording: recording, guideline: guideline, isAdult: average.adult).block
                block.heading = "A day and a night"
                var plot = TextBuffer()
                RangePlot(recording, style: RangePlot.Style(width: 90), lines: AmbulatoryText.lines(guideline)).append(to: &plot)
                block.plot = plot.string
                blocks.append(block)
            }
        }
        return blocks
    }
}

extension ReportPage.Paper: ExpressibleByArgument {}

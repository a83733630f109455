import CuffClinical
import CuffCore

extension HealthRuns {
    /// Writes the report; `isPrinted`: as a PDF file. `complete` fills in the head of each person's report. Returns the numbers
    /// of included and excluded readings.
    package static func report(
        _ store: Store, _ selection: ReadingSelection, person: String, excludesDisturbed: Bool = false, lines: ReferenceLines = .home,
        windows: DayWindows = .usual,
        generator: String, paper: ReportPage.Paper = .a4, isPrinted: Bool = false, to output: OutputFile,
        complete: (inout Report, ReadingSelection) throws(IngestError) -> Void = { (_, _) throws(IngestError) in }
    ) throws(IngestError) -> (counted: Int, leftOut: Int) {
        // First, because nothing can be done without a browser.
        let browser = isPrinted ? try PagePrinter.browser() : nil
        let kinds: Set<ReadingSelection.Kind> = [.bloodPressure, .measurement]
        let wanted = selection.kinds.isEmpty ? kinds : kinds.intersection(selection.kinds)
        var shown = selection
        shown.kinds = wanted
        let empty = Report(person: person, zone: selection.zone, windows: windows, lines: lines, excludesDisturbed: excludesDisturbed)
        // An empty set would select everything.
        let found = wanted.isEmpty ? ByPerson() : try store.reports(shown, like: empty)
        let persons = found.persons
        if !person.isEmpty { try persons.requireOne(for: "a page for \(StandardErrorLog.harmless(person))") }
        var reports: [Report] = []
        for (owner, report) in found.sorted {
            var (report, own) = (report, selection)
            report.section = persons.neededHeading(owner) ?? ""
            own.person = owner
            try complete(&report, own)
            reports.append(report)
        }
        if reports.isEmpty {
            reports = [empty]
            try complete(&reports[0], selection)
        }
        var text = TextBuffer(capacity: 1 << 16)
        ReportPage(reports[0], Array(reports.dropFirst()), generator: generator, paper: paper).append(
            generated: HostClock.reproducibleNow(), to: &text)
        if let browser {
            let bytes = try PagePrinter.pdf(of: &text, beside: output.path, with: browser)
            text.removeAll()
            text.append(bytes: bytes.span)
        }
        try output.append(&text)
        try output.finish()
        return (reports.reduce(0) { $0 + $1.count }, reports.reduce(0) { $0 + $1.leftOutCount })
    }
}

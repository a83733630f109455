import CuffClinical
import CuffCore

extension HealthRuns {
    /// Readings in an appendix: a reading is a line of 200 bytes.
    static let mostExplained = 20_000
    /// Readings that are kept for the average, 10 MB; of more, the average reads the database again.
    private static let mostKept = 1 << 17

    /// The report of each person; one without a person if there are no readings.
    static func reports(
        _ store: Store, _ selection: ReadingSelection, _ request: ReportRequest
    ) throws(IngestError) -> [(owner: Person?, report: Report)] {
        let kinds: Set<ReadingSelection.Kind> = [.bloodPressure, .measurement]
        var shown = selection
        shown.kinds = selection.kinds.isEmpty ? kinds : kinds.intersection(selection.kinds)
        let empty = request.empty(selection.zone)
        // An empty set would select everything.
        var kept: [HomeReading]? = request.explains || !selection.isOfTime || !shown.kinds.contains(.bloodPressure) ? nil : []
        let rule = InclusionRule(zone: selection.zone, excludesDisturbed: request.average.excludesDisturbed)
        let found =
            shown.kinds.isEmpty
            ? ByPerson()
            : try store.reports(shown, like: empty, rule: kept == nil ? nil : rule) { reading in
                kept?.append(reading)
                if kept?.count ?? 0 > mostKept { kept = nil }
            }
        let persons = found.persons
        if !request.person.isEmpty {
            try persons.requireOne(for: "a page for \(StandardErrorLog.harmless(request.person))")
            if let person = selection.household.name(request.person), let owner = persons.all.first?.name, owner != person {
                throw IngestError(SelectionFault.ofAnother(person: person, owner: owner))
            }
        }
        var explained = ByPerson<[Report.Explained]>()
        var count = 0
        let tell: (HomeReading, ReadingFate, [Provenance]) -> Void = { reading, fate, sources in
            count += 1
            guard count <= mostExplained else { return }
            let cuff = sources.indices.contains(reading.source) ? sources[reading.source] : Provenance(driver: "unknown")
            explained[reading.person, default: []].append(Report.Explained(reading, fate, cuff: cuff))
        }
        let run = try average(store, selection, request.average, kept: kept, tell: request.explains ? tell : nil)
        guard count <= mostExplained else { throw IngestError(SelectionFault.tooManyToExplain(most: mostExplained)) }
        let decoders = try store.decoders(of: explained.sorted.flatMap { $0.1.map(\.reading.id) })
        let reports = found.sorted.map { owner, report -> (owner: Person?, report: Report) in
            var report = report
            report.section = request.language.heading(owner, among: persons)
            report.averages = averages(of: owner, in: run)
            report.explained = explained[owner, default: []].map { one in
                var one = one
                one.decoder = decoders[one.reading.id] ?? one.decoder
                return one
            }
            return (owner, report)
        }
        return reports.isEmpty ? [(nil, empty)] : reports
    }

    /// The averages of one person, with the names of the cuffs if they are of several.
    static func averages(of person: Person, in run: AverageRun) -> [(cuff: String, average: ProtocolAverage)] {
        let own = run.averages.each.filter { $0.owner.person == person }
        return own.map { owner, average in
            let source = owner.source.flatMap { run.sources.indices.contains($0) ? run.sources[$0] : nil }
            return (own.count > 1 ? source?.name ?? "" : "", average)
        }
    }

    /// The page of these reports.
    static func append(_ reports: [Report], _ request: ReportRequest, to text: inout TextBuffer) {
        guard let first = reports.first else { return }
        ReportPage(
            first, Array(reports.dropFirst()), generator: request.generator, paper: request.paper, language: request.language
        ).append(generated: HostClock.reproducibleNow(), to: &text)
    }

    /// Writes the report; `isPrinted`: as a PDF file. `complete` may add to each person's report. Returns the numbers of included and
    /// excluded readings.
    package static func report(
        _ store: Store, _ selection: ReadingSelection, _ request: ReportRequest, isPrinted: Bool = false, to output: OutputFile,
        complete: (inout Report, ReadingSelection) throws(IngestError) -> Void = { (_, _) throws(IngestError) in }
    ) throws(IngestError) -> (counted: Int, leftOut: Int) {
        // First, because nothing can be done without a printer.
        let printer = isPrinted ? try PagePrinter.program() : nil
        var reports: [Report] = []
        for (owner, report) in try self.reports(store, selection, request) {
            var (report, own) = (report, selection)
            if let owner { own.person = owner }
            try complete(&report, own)
            reports.append(report)
        }
        var text = TextBuffer(capacity: 1 << 16)
        append(reports, request, to: &text)
        if let printer {
            let bytes = try PagePrinter.pdf(of: &text, beside: output.path, with: printer)
            text.removeAll()
            text.append(bytes: bytes.span)
        }
        try output.append(&text)
        try output.finish()
        return (reports.reduce(0) { $0 + $1.count }, reports.reduce(0) { $0 + $1.leftOutCount })
    }
}

import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest
import Glibc

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "import", "Reads readings of other programs from their files into the database.",
        """
        At a terminal it shows the readings and asks; elsewhere it needs --yes or --dry-run. Importing a file twice changes nothing. \
        A reading that a cuff delivered is not stored again; one that may be the same in another zone is left out, unless \
        --suspects is given. `cuff db undo-import` removes an import.

        Layouts are recognised by content, not by name; `--layouts` lists them. A table with any other layout needs --columns, with one \
        of \(ColumnMapping.spelling) before each `=`, and titles or numbers of columns after it. --save keeps the mapping, with --unit, \
        --dates and --tz, under a name that --layout then takes.
        """,
        examples: [
            "cuff import bp.csv": "Shows what is new in this Withings export, then asks.",
            "cuff import export.zip --user 1 --yes": "Apple Health, as user 1, without a question.",
            "cuff import table.csv --columns time=Date+Time,sys=Upper,dia=Lower --dates dmy --save clinic": "Any table.",
            "cuff import next.csv --layout clinic": "Another table with the same columns.",
        ])

    @Argument(help: "Files to import; `-` is standard input.", completion: .file()) var files: [String] = []
    @OptionGroup var database: DatabaseOption
    @Flag(name: .shortAndLong, help: "Show the readings, and import nothing.") var dryRun = false
    @Flag(name: .shortAndLong, help: "Import without a question.") var yes = false
    @Option(
        help: ArgumentHelp("The layout or saved mapping, instead of recognising it.", valueName: "name"),
        completion: .list(Importer.all.map(\.name)))
    var layout: String?
    @Option(help: ArgumentHelp("Which column is what, e.g. time=Date,sys=Systolic,dia=Diastolic.", valueName: "mapping")) var columns:
        String?
    @Option(help: ArgumentHelp("Save --columns, --unit, --dates and --tz under a name for --layout.", valueName: "name")) var save: String?
    @Option(help: "The unit of the pressures, where the file does not say it: mmHg (the default) or kPa.") var unit: PressureUnitName?
    @Option(help: ArgumentHelp("The order of numeric dates: dmy, mdy, ymd, or a pattern such as %d/%m/%Y.", valueName: "order")) var dates:
        String?
    @Option(
        name: [.customLong("tz"), .long],
        help: ArgumentHelp("The time zone of times without one (default: this machine's).", valueName: "zone"))
    var zone: String?
    @Option(name: .shortAndLong, help: "The user of every reading (default: as the file says).") var user: Int?
    @Option(help: ArgumentHelp("The name of the import, for undo-import (default: the file's).", valueName: "name")) var name: String?
    @Flag(help: "Also import readings that may be the same as others, whole quarter hours apart.") var suspects = false
    @Flag(help: "Import nothing of a file in which a record cannot be read.") var strict = false
    @Flag(help: "List the layouts and how each is recognised, and end.") var layouts = false
    @Flag(help: "Print a JSON object for each file.") var json = false

    func run() throws {
        if layouts { return Terminal.show(try layoutList()) }
        do { try importAll() } catch let fault as ImportFault { throw IngestError(ImportRunFault.file("import", fault)) }
    }

    private func importAll() throws {
        guard !files.isEmpty else { throw IngestError(.usage, "no file is named", hint: "write e.g. cuff import bp.csv") }
        try Flags.refuse("--yes", when: yes && dryRun, why: "nothing is imported")
        try Flags.refuse(
            "--name", when: name != nil && files.count > 1, why: "each file is an import of its own", hint: "import them one by one")
        try Flags.refuse("--save", when: save != nil && columns == nil, why: "it saves what --columns says")
        try Flags.refuse("--save", when: save != nil && dryRun, why: "nothing is saved")
        if let save, Importer.all.contains(where: { $0.name == save }) {
            throw IngestError(.usage, "`\(save)` is the name of a layout", hint: "choose another name")
        }
        let path = try database.path()
        let request = try request(path)
        let asks = !yes && !dryRun
        let canAsk = isatty(STDIN_FILENO) == 1 && files.allSatisfy(ImportRun.canRepeat)
        guard !asks || canAsk else {
            // Confirming would not help.
            for file in files where file != "-" && access(file, R_OK) != 0 {
                throw IngestError(FileFault.unreadable(file, errno: errno))
            }
            throw IngestError(ImportRunFault.notConfirmed)
        }
        var failure: IngestError?
        for file in files {
            do throws(IngestError) {
                var request = request
                if asks || dryRun {
                    var run = ImportRun(request, database: path)
                    let summary = try run.preview(file, progress: ImportProgress(file).show)
                    ImportProgress.end()
                    show(summary, hasTable: true)
                    if let fault = summary.fault { failure = fault }
                    guard asks, summary.new + summary.revised + summary.suspects > 0 else { continue }
                    guard ask(summary, &request) else { continue }
                }
                var run = ImportRun(request, database: path)
                let summary = try run.perform(file, progress: ImportProgress(file).show)
                ImportProgress.end()
                if asks { Terminal.say("cuff: \(ImportText.done(summary))") } else { show(summary, hasTable: false) }
                if let fault = summary.fault { failure = fault }
            } catch {
                // The other files are still imported.
                ImportProgress.end()
                if let failure { Terminal.say("cuff: \(failure.text)") }
                failure = error
            }
        }
        if let failure { throw failure }
        if let save, let columns {
            try Store(path, access: .write).save(
                Store.SavedMapping(name: save, columns: columns, unit: unit?.rawValue, dates: dates, zone: zone))
            Terminal.say("cuff: saved; `cuff import FILE --layout \(save)` reads the next table")
        }
    }

    /// Mappings that were saved in a database, which need not exist.
    private static func saved(_ path: String) throws -> [Store.SavedMapping] {
        access(path, F_OK) == 0 ? try Store(path, access: .read).mappings() : []
    }

    private func request(_ path: String) throws -> ImportRequest {
        let saved = try layout == nil ? nil : Self.saved(path).first { $0.name == layout }
        let zone = zone ?? saved?.zone
        var request = ImportRequest(zone: try HostZone.named(zone), zoneName: zone)
        request.program = Cuff.program
        request.household = try CuffConfiguration.load().household
        if let text = columns ?? saved?.columns { request.options.columns = try ColumnMapping(text) }
        request.options.unit = (unit ?? saved?.unit.flatMap { PressureUnitName(rawValue: $0) })?.unit
        if let dates = dates ?? saved?.dates {
            guard let order = DateOrder(dates) else {
                throw ImportFault.badOption("`\(dates)` is not an order of dates: use dmy, mdy or ymd")
            }
            request.options.dates = order
        }
        if let layout, saved == nil { request.layout = try Importer.named(layout) }
        if let user {
            guard let number = Int32(exactly: user), number >= 0 else {
                throw IngestError(.usage, "`\(user)` is not a user", hint: "give a number")
            }
            request.user = number
        }
        (request.name, request.includesSuspects, request.isStrict) = (name, suspects, strict)
        return request
    }

    private func ask(_ summary: ImportSummary, _ request: inout ImportRequest) -> Bool {
        let isYes = { (answer: String?) in ["y", "yes"].contains(answer?.lowercased() ?? "") }
        if summary.suspects > 0, !suspects {
            let question = "Import the \(Plural.text(summary.suspects, "suspect")) too, as measurements of their own? [y/N] "
            request.includesSuspects = isYes(Terminal.ask(question))
        }
        let count = summary.new + summary.revised + (request.includesSuspects ? summary.suspects : 0)
        return count > 0 && isYes(Terminal.ask("Import \(Plural.text(count, "reading")) from \(summary.file)? [y/N] "))
    }

    private func show(_ summary: ImportSummary, hasTable: Bool) {
        guard !json else { return Terminal.put(ImportText.json(summary, isDone: !hasTable)) }
        if hasTable {
            Terminal.put(ImportText.table(summary))
        } else {
            for line in ImportText.complaints(summary) { Terminal.say("cuff: \(summary.file): \(line)") }
        }
        Terminal.say("cuff: \(hasTable ? ImportText.preview(summary) : ImportText.done(summary))")
        if !summary.unused.isEmpty { Terminal.say("cuff: columns that are not imported: \(summary.unused.joined(separator: ", "))") }
        if summary.withoutZone > 0 {
            Terminal.say("cuff: times without a zone are read in \(summary.zoneName ?? HostZone.local().name); --tz names another")
        }
    }

    private func layoutList() throws -> String {
        let saved = try Self.saved(try database.path())
        let width = max(Importer.all.map(\.name.count).max() ?? 0, saved.map(\.name.count).max() ?? 0)
        let mappings = saved.map { $0.name.padded(to: width + 2) + "saved: --columns \($0.columns)\n" }.joined()
        return mappings
            + Importer.all.map { importer in
                let state = if case .unsupported(let missing) = importer.form { "; not read: \(missing)" } else { "" }
                return importer.name.padded(to: width + 2) + "\(importer.help)\n" + "".padded(to: width + 2) + "\(importer.sign)\(state)\n"
            }.joined()
    }
}

/// `mmHg` or `kPa`.
enum PressureUnitName: String, ExpressibleByArgument, CaseIterable {
    case mmHg, kPa
    var unit: PressureUnit { self == .mmHg ? .mmHg : .kPa }
}

/// The progress of a file, on a terminal only and after a fifth of a second.
struct ImportProgress {
    private let name: String
    private let began = ContinuousClock.now
    // Only the main thread uses it.
    nonisolated(unsafe) private static var percent = -1

    init(_ name: String) { self.name = name }

    func show(_ part: Double) {
        let percent = Int(part * 100)
        guard Terminal.errorIsTerminal, percent != Self.percent, ContinuousClock.now - began > .milliseconds(200) else { return }
        Self.percent = percent
        Terminal.draw("\r\u{1B}[K\(TerminalText.clean(name)): \(percent) % …")
    }

    static func end() {
        if percent >= 0 { Terminal.draw("\r\u{1B}[K") }
        percent = -1
    }
}

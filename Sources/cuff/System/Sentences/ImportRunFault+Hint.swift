import CuffClinical
import CuffIngest

extension ImportRunFault: Hinted {
    var hint: String {
        switch self {
        case .file(_, let fault): Self.hint(fault)
        case .emptyArchive: "unpack it, and name the file with the readings"
        case .openLog(let name): "close the program that uses it, or copy it with `cuff db backup COPY --db \(name)` and import the copy"
        case .database, .empty: "export the file again"
        case .inputTooLong: "name a file"
        case .strict: "leave --strict out to import what can be read; --dry-run shows the records"
        case .unknownImport, .alreadyUndone: "`cuff db imports` lists them"
        case .notConfirmed: "add --yes to import, or --dry-run to see what would come"
        }
    }

    private static func hint(_ fault: ImportFault) -> String {
        switch fault {
        case .unknownLayout(firstLine: ""): "`cuff import --layouts` says what is looked for"
        case .unknownLayout, .needsMapping, .missingColumn, .unmappedColumn:
            "name the columns: --columns time=Date+Time,sys=Systolic,dia=Diastolic,pulse=Pulse; `cuff import --layouts` says what is looked for"
        case .unsupported: "export in another format, or save the table as CSV and add --columns"
        case .ambiguousDates: "say which number is the day: --dates dmy, mdy or ymd"
        case .badOption: "`cuff import --help` explains the options"
        case .damaged: "what could be read before the damage is counted; export the file again"
        case .tooMany: "split the file"
        case .severalPersons:
            "split the file by person and import each part with --user N; if all readings are of one person, add --user N"
        }
    }
}

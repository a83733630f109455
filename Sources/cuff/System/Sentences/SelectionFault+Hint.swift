import CuffIngest

extension SelectionFault: Hinted {
    var hint: String {
        switch self {
        case .unknownType: "write e.g. --type blood_pressure"
        case .unknownFormat(_, let known): "write e.g. --format \(known.last ?? "jsonl")"
        case .readingsOnly(_, let kinds): "choose among \(kinds.joined(separator: ", "))"
        case .oneTypeOnly: "leave out --type"
        case .severalPersons(_, _, let hasUnnamed):
            "add --user NUMBER\(hasUnnamed ? ", or --user none for those without a user" : "")"
        case .unknownPerson(let name): "`users = { 1 = \"\(name)\" }` in a [device.NAME] section of the configuration names one"
        case .limitsCross: "write e.g. --low-pulse 40 --high-pulse 120"
        case .implausible: "check the numbers, or add --force"
        case .inTheFuture: "check --at"
        case .notANumber: "write e.g. 72.5"
        case .notAValue(_, let name, let known): "write e.g. cuff add --quantity \(name) \(known.last ?? "")"
        case .unknownQuantity(let word, let known):
            NearestWord.match(word, among: known).map { "did you mean `\($0)`?" } ?? "write e.g. body_mass"
        case .implausibleQuantity: "check the number, or add --force"
        case .lastsTooLong: "check --for"
        case .notAnAudiogram: "write e.g. --quantity audiogram 250:34/27,500:30/-"
        case .everythingToDelete: "name ids, or narrow it, e.g. --until 2020-01-01 or --user 2"
        case .deletionNotConfirmed: "type `delete` when asked, or add --confirm delete"
        case .notAReading: "give lines as `cuff export --format jsonl` writes them"
        case .unordered: "sort the lines, e.g. `jq -sc 'sort_by(.measured)[]'`, or keep them in a database"
        case .tooManySeries: "narrow it with --since, or add --by-owner"
        }
    }
}

import CuffClinical
import CuffIngest

extension SelectionFault: Hinted {
    var hint: String {
        switch self {
        case .unknownType: "write e.g. --type blood_pressure"
        case .unknownFormat(_, let known): "write e.g. --format \(known.last ?? "jsonl")"
        case .readingsOnly(_, let kinds): "choose among \(kinds.joined(separator: ", "))"
        case .oneTypeOnly: "leave out --type"
        case .severalPersons(_, let persons): persons.choice
        case .ofAnother(let person, let owner): "add --user \(Shell.quoted(person)), or --person \(Shell.quoted(owner))"
        case .unknownPerson(let name, let known):
            NearestWord.match(name, among: known).map { "did you mean `\($0)`?" }
                ?? (known.isEmpty
                    ? "add the person: cuff person name \(Shell.quoted(name))"
                    : "known persons are \(known.joined(separator: ", ")); `cuff person name \(Shell.quoted(name))` adds one")
        case .notAName: "write e.g. Anna"
        case .notBound: "`cuff person` lists the persons and their cuffs"
        case .notOneSlot(let name, let cuff, let slots):
            slots.isEmpty
                ? "write --user NUMBER, or: cuff person bind \"\(name)\" \(cuff.isEmpty ? "CUFF" : cuff):NUMBER" : "write --user NUMBER"
        case .slotOfRecord: "name the person: --user NAME"
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
        case .tooManyLines: "import them: cuff import FILE"
        case .tooManyToExplain: "narrow it with --since, or choose one person with --user"
        case .tooManySeries: "narrow it with --since, or add --by-owner"
        }
    }
}

extension Persons {
    /// The options that choose one of them.
    fileprivate var choice: String {
        let cuffs = Set(all.compactMap(\.cuff))
        let slots = all.filter { $0.name == nil }.map(\.slot)
        var options: [String] = []
        if let name = all.compactMap(\.name).first { options.append("--user \(Shell.quoted(name))") }
        // A number, and `none`, are of every cuff that has it.
        if slots.contains(where: { slot in slot != nil && slots.count { $0 == slot } == 1 }) { options.append("--user NUMBER") }
        // Readings that were typed in for a person have no number either.
        if slots.count == all.count, slots.count(where: { $0 == nil }) == 1 { options.append("--user none for those without a user") }
        if cuffs.count > 1 { options.append("--device NAME for one cuff (\(cuffs.sorted().joined(separator: ", ")))") }
        return "add " + options.joined(separator: ", or ")
            + (hasSharedSlot ? "; --together takes the same user of all cuffs as one person" : "")
    }

    private var hasSharedSlot: Bool {
        let slots = all.filter { $0.name == nil }.map(\.slot)
        return Set(slots).count < slots.count
    }
}

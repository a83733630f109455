import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest
import Glibc

struct PersonVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "person", "Shows and sets whose readings each cuff and user slot holds.",
        """
        A user slot without a name is a person of its own: user 1 of one cuff is not user 1 of another. A name that is bound later \
        also holds for earlier readings, because the database keeps the cuff and the slot. Changes go into the configuration file of this user; \
        comments in it stay. `cuff edit ID --user NAME` moves a single reading.
        """,
        examples: [
            "cuff person": "Who is known, and which cuffs have no person yet.",
            "cuff person bind Anna kitchen:1 wrist": "User 1 of one cuff, and a cuff without users.",
            "cuff person unbind kitchen:1": "Removes the slot from its person.",
            "cuff person name Anna \"Anna Maria\"": "Another name for the same person.",
        ], subcommands: [ListPersons.self, Name.self, Bind.self, Unbind.self], defaultSubcommand: ListPersons.self)

    struct ListPersons: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "list", "Prints one line for each person, and for each slot without a name.",
            "A slot without a name is listed if the database has readings of it.",
            examples: ["cuff person list": "All of them.", "cuff person list --json | jq -r .person": "The names, for a script."])
        @OptionGroup var database: DatabaseOption
        @OptionGroup var file: ConfigOption
        @Flag(help: "One JSON object for each line.") var json = false

        func run() throws {
            let household = try CuffConfiguration.load(file.config).household
            let counts = try readings(household)
            let known = household.names.map { Person.named($0) }
            let persons = Persons(known + counts.persons.all)
            if persons.all.isEmpty {
                Terminal.say("cuff: no person has a name, and no reading is stored; `cuff person bind NAME CUFF:SLOT` begins")
                return
            }
            let counted = Dictionary(uniqueKeysWithValues: counts.sorted.map { ($0.person, $0.value) })
            let rows = persons.all.map { person -> (name: String?, places: [String], count: Int) in
                let places =
                    person.name.map { household.places(of: $0) } ?? [Household.place(cuff: person.cuff ?? "", slot: person.slot)]
                return (person.name, places, counted[person] ?? 0)
            }
            if json {
                let lines = rows.map { row in
                    let places = JSONOutput.list(row.places.map { .text($0) })
                    return JSONOutput.line(
                        "person", ("person", row.name.map { .text($0) }), ("cuffs", places), ("readings", .number(row.count)))
                }
                return Terminal.put(lines.joined())
            }
            let cells = rows.map { row in
                [row.name ?? "", row.places.joined(separator: ", "), "\(row.count)"].map { StandardErrorLog.harmless($0) }
            }
            Terminal.list(["PERSON", "CUFFS", "READINGS"], cells, wrapping: 1, rightAligned: [2])
            guard Terminal.outputIsTerminal, let free = rows.first(where: { $0.name == nil })?.places.first else { return }
            Terminal.say("Lines without a person: give each a name, e.g. cuff person bind NAME \(free)")
        }

        /// None without a database.
        private func readings(_ household: Household) throws -> ByPerson<Int> {
            guard database.db != nil || Store.standardPath.map({ access($0, F_OK) == 0 }) ?? false else { return ByPerson() }
            var selection = ReadingSelection(zone: HostZone.local())
            selection.household = household
            return try database.store().readingsOfPersons(selection)
        }
    }

    struct Name: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "name", "Adds a person, or gives one another name.",
            "A new name replaces the old one in the file and at readings that were moved to the person in this user's database.",
            examples: ["cuff person name Ben": "For readings that are typed in.", "cuff person name Ben Benjamin": "Another name."])
        @Argument(help: "The person.", transform: { Household.trimmed($0) }) var name: String
        @Argument(help: "The new name.", transform: { Household.trimmed($0) }) var new: String?
        @OptionGroup var target: PersonFile

        func run() throws {
            var file = try target.file()
            guard let new else {
                try file.add(name)
                try target.write(file)
                return Terminal.say("cuff: \(file.path): \(name) is a person")
            }
            guard try file.rename(name, to: new) else {
                throw IngestError(SelectionFault.unknownPerson(name, known: file.names))
            }
            try target.write(file)
            var moved = 0
            if let path = Store.standardPath, access(path, F_OK) == 0 {
                let store = try DatabaseOption.open(path, .write)
                moved = try store.rename(name, to: new)
                try store.close()
            }
            let readings = moved > 0 ? "; \(Plural.text(moved, "moved reading")) renamed" : ""
            Terminal.say("cuff: \(file.path): \(name) is now \(new)\(readings)")
        }
    }

    struct Bind: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "bind", "Assigns user slots and cuffs to a person.",
            "A person who is not in the configuration yet is added. `cuff person` lists the names of cuffs that have readings.",
            examples: [
                "cuff person bind Anna kitchen:1": "User 1 of the cuff `kitchen`.",
                "cuff person bind Ben wrist kitchen:2": "A cuff without users, and user 2 of another.",
            ])
        @Argument(help: "The person.", transform: { Household.trimmed($0) }) var name: String
        @Argument(help: ArgumentHelp("The cuff's name, with the user number if it has users.", valueName: "cuff[:slot]"))
        var places: [String]
        @OptionGroup var target: PersonFile

        func run() throws {
            var file = try target.file()
            for place in places { try file.bind(name, to: place) }
            try target.write(file)
            Terminal.say("cuff: \(file.path): \(places.joined(separator: ", ")) now \(places.count == 1 ? "belongs" : "belong") to \(name)")
            try sayUnused()
        }

        /// A place may be mistyped.
        private func sayUnused() throws {
            guard let path = Store.standardPath, access(path, F_OK) == 0 else { return }
            let persons = try DatabaseOption.open(path, .read).persons(ReadingSelection(zone: HostZone.local()))
            let used = persons.all.map { Household.place(cuff: $0.cuff ?? "", slot: $0.slot) }
            for place in places where !used.contains(place) {
                let nearest = NearestWord.match(place, among: used).map { "; did you mean `\($0)`?" } ?? ""
                Terminal.say("cuff: no reading of `\(place)` is stored yet\(nearest)")
            }
        }
    }

    struct Unbind: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "unbind", "Removes user slots and cuffs from their person.",
            "Their readings belong to no named person then, except those that were moved to one by `cuff edit`.",
            examples: ["cuff person unbind kitchen:1": "The slot has no name again.", "cuff person unbind wrist": "A cuff without users."])
        @Argument(help: ArgumentHelp("The cuff's name, with the user number if it has users.", valueName: "cuff[:slot]"))
        var places: [String]
        @OptionGroup var target: PersonFile

        func run() throws {
            var file = try target.file()
            for place in places {
                guard let name = try file.unbind(place) else { throw IngestError(SelectionFault.notBound(place)) }
                Terminal.say("cuff: \(place) no longer belongs to \(name)")
            }
            try target.write(file)
        }
    }
}

struct PersonFile: ParsableArguments {
    @Flag(help: "Change /etc/cuff/config.toml, which the service reads (default: this user's file).") var system = false
    @Option(help: ArgumentHelp("Change this configuration.", valueName: "file"), completion: .file()) var config: String?

    /// Read alone: not together with the standard files.
    private var named: String? { config ?? DriverMemory.variable("CUFF_CONFIG") }

    func file() throws -> HouseholdFile {
        try Flags.refuse("--system", when: system && config != nil, why: "--config names the file")
        guard let path = system ? CuffConfiguration.machineFile : named ?? CuffConfiguration.ownFile else {
            throw IngestError(.usage, "there is no place for a configuration", why: "HOME is not set", hint: "name one: --config FILE")
        }
        return try HouseholdFile(path: path)
    }

    func write(_ file: HouseholdFile) throws {
        try file.write(isAlone: !system && named != nil)
        if system { Terminal.say("`systemctl reload cuff` gives a running service the new names.") }
    }
}

import ArgumentParser
import CuffCore
import CuffIngest
import Glibc

struct Setup: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "setup", "Lists what is plugged in, and writes a configuration with a name for each cuff and its users.",
        """
        At a terminal it asks; an empty answer takes the value in brackets. With --yes it asks nothing: cuffs that are certainly \
        known get a section, and so does what --assign names. Sections that are there already stay as they are; if such a cuff has no person yet, you are asked whose it is. With --system it also \
        writes a drop-in for systemd, where a page, a listening port or a sink of the configuration needs the network, and starts the \
        service. With --fleet it installs the access that `cuff-gateway machine add` wrote, and leaves the cuffs as they are. Nothing is \
        sent to any device.
        """,
        examples: [
            "cuff setup": "Step by step.",
            "cuff setup --yes --assign port:1-1.2=taidoc,name=hallway --user-name 1=Anna --user-name 2=Ben":
                "Without questions.",
            "sudo cuff setup --system": "For the service, in /etc/cuff/config.toml.",
            "sudo cuff setup --system --fleet pi-1.fleet.toml": "Deliver to the fleet's broker, too.",
            "cuff setup --yes --output -": "Prints what would be written.",
        ])

    @Flag(name: .shortAndLong, help: "Ask nothing.") var yes = false
    @Flag(help: "Write /etc/cuff/config.toml, which the service reads (default: this user's file).") var system = false
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Write this file instead; `-` prints the whole file.", valueName: "file"),
        completion: .file())
    var output: String?
    @Option(help: ArgumentHelp("A device that cannot be recognised, its driver and a name for it.", valueName: "device=driver[,name=…]"))
    var assign: [String] = []
    @Option(help: ArgumentHelp("With --yes: the user of a slot; 0 for a cuff without users.", valueName: "slot=name"))
    var userName: [String] = []
    @Option(help: ArgumentHelp("With --system: the access to a fleet's broker.", valueName: "file"), completion: .file()) var fleet: String?

    func run() throws {
        try Flags.refuse("--system", when: system && output != nil, why: "--output names the file")
        try Flags.refuse("--user-name", when: !userName.isEmpty && !yes, why: "you are asked for the names", hint: "add --yes")
        try Flags.refuse("--fleet", when: fleet != nil && !system, why: "the service delivers to the fleet", hint: "add --system")
        try Flags.refuse("--assign", when: fleet != nil && !assign.isEmpty, why: "--fleet leaves the cuffs as they are")
        try Flags.refuse("--user-name", when: fleet != nil && !userName.isEmpty, why: "--fleet leaves the cuffs as they are")
        if system, geteuid() != 0 {
            throw IngestError(
                .noPermission, "cannot write \(CuffConfiguration.machineFile)", why: "only root may, and this process runs as another user",
                hint: "sudo cuff setup --system")
        }
        if let fleet { return try FleetSetup(isAgreed: yes).run(fleet) }
        let names = try users()
        let assignments = try Self.assignments(assign)
        guard yes || isatty(STDIN_FILENO) == 1 else {
            throw IngestError(.usage, "cannot ask questions", why: "standard input is not a terminal", hint: "add --yes")
        }
        let file = output.flatMap { $0 == "-" ? nil : $0 } ?? (system ? CuffConfiguration.machineFile : CuffConfiguration.ownFile)
        guard let file else {
            throw IngestError(.usage, "no folder for a configuration", why: "HOME is not set", hint: "name one: --output FILE")
        }
        let plan = try SetupPlan(path: file)
        var entries: [SetupPlan.Entry] = []
        let plugged = try plan.plugged()
        for found in plugged {
            Terminal.say("\n\(found.device.summary)")
            showAccess(found)
            if let entry = try entry(found, plan, assignments, names, besides: entries) { entries.append(entry) }
        }
        let present = plan.existing.isEmpty ? [] : try WatchSetup.assignments(config: .files(file), assign: [])
        for assignment in assignments
        where !entries.contains(where: { $0.match == "\(assignment.address)" })
            && !plugged.contains(where: { assignment.address.matches($0.device) })
        {
            if let section = present.first(where: { $0.address == assignment.address })?.name {
                Terminal.say("\n\(assignment.address) is in the configuration already: [device.\(section)]")
                continue
            }
            guard let driver = assignment.driver else { continue }
            let name = plan.freeName(assignment.name ?? "\(driver)", besides: entries)
            entries.append(.init(name: name, match: "\(assignment.address)", driver: driver, users: Self.users(of: driver, names)))
        }
        try refuseIdleNames(names, entries)
        try write(entries, plan)
    }

    private static func assignments(_ texts: [String]) throws -> [Assignment] {
        let assignments = try WatchSetup.assignments(config: .none, assign: texts)
        for (index, one) in assignments.enumerated() {
            guard let other = assignments[..<index].first(where: { $0.address == one.address && $0.driver != one.driver }) else { continue }
            let drivers = [other, one].map { "\($0.driver?.description ?? "none")" }.joined(separator: " and to ")
            throw IngestError(.usage, "\(one.address) is assigned twice", why: "to \(drivers)", hint: "leave out one of the two")
        }
        return assignments
    }

    /// A name that no cuff gets would be missed only when its person has no readings.
    private func refuseIdleNames(_ names: [Int: String], _ entries: [SetupPlan.Entry]) throws {
        let given = Set(entries.flatMap(\.users.keys))
        guard !entries.isEmpty, let (slot, name) = names.sorted(by: { $0.key < $1.key }).first(where: { !given.contains($0.key) }) else {
            return
        }
        let drivers = Set(entries.map { "\($0.driver)" }).sorted().joined(separator: ", ")
        throw IngestError(
            .usage, "no cuff can have `--user-name \(slot)=\(name)`",
            why: slot > 0 ? "readings of \(drivers) name no user" : "\(drivers) has several users",
            hint: "write --user-name \(Shell.quoted("\(slot > 0 ? 0 : 1)=\(name)"))"
                + (slot > 0 ? " if all readings of the cuff are this person's" : ""))
    }

    private func write(_ entries: [SetupPlan.Entry], _ plan: SetupPlan) throws {
        let text = try plan.text(adding: entries)
        if output == "-" { return Terminal.put(text) }
        let isService = plan.path == CuffConfiguration.machineFile
        guard !entries.isEmpty else {
            if isService, try Self.permitNetwork(isAgreed: yes) { return ServiceStart.offer(isAgreed: yes) }
            Terminal.say("\ncuff: nothing to write: no new cuff was found or named")
            if isService { return ServiceStart.offer(isAgreed: yes) }
            return Terminal.say(
                "Plug the cuff in, switch it on and run `cuff setup` again. `cuff drivers MODEL` says whether it is supported.")
        }
        // A name may go into a section that exists, so that text in the middle changes.
        let isAppended = text.hasPrefix(plan.existing)
        Terminal.say(
            "\n\(isAppended ? "To be added to" : "The new") \(plan.path):\n" + text.dropFirst(isAppended ? plan.existing.count : 0))
        if !yes, !Self.agrees("Write it? [Y/n] ") {
            throw IngestError(.no, "nothing was written", hint: "run `cuff setup` again")
        }
        try plan.write(text)
        let added = entries.count { !$0.isPresent }
        Terminal.say("cuff: \(plan.path)\(added > 0 ? ": \(Plural.text(added, "cuff")) added" : " is written")")
        guard isService else {
            return Terminal.say(
                "Next: `cuff watch` reads these cuffs whenever they are plugged in. As a service: sudo cuff setup --system")
        }
        try Self.permitNetwork(isAgreed: yes)
        ServiceStart.offer(isAgreed: yes)
    }

    /// Writes the drop-in for network access, if the configuration needs it. Returns whether it was written.
    @discardableResult
    static func permitNetwork(isAgreed yes: Bool) throws -> Bool {
        let network = try ServiceNetwork.ofMachine()
        guard let dropIn = network.dropIn, !network.isWritten else { return false }
        Terminal.say(
            "\nThe configuration needs the network, which the service may not use. To be written to \(ServiceNetwork.path):\n" + dropIn)
        guard yes || Self.agrees("Write it? [Y/n] ") else { return false }
        try network.write()
        Terminal.say("cuff: \(ServiceNetwork.path) is written")
        return true
    }

    // MARK: One device

    private func showAccess(_ found: SetupPlan.Found) {
        guard let reason = found.access.reason else { return }
        Terminal.say("  you may not open it: \(reason)")
        if let hint = found.access.hint(for: found.device.key) { Terminal.say("  fix: \(hint)") }
    }

    /// `nil` to leave the device out.
    private func entry(
        _ found: SetupPlan.Found, _ plan: SetupPlan, _ assignments: [Assignment], _ names: [Int: String], besides entries: [SetupPlan.Entry]
    ) throws -> SetupPlan.Entry? {
        if let section = found.section {
            Terminal.say("  it is in the configuration already: [device.\(section)]")
            guard !yes, let driver = found.verdict.driver, !plan.hasPerson(section) else { return nil }
            let users = askUsers(of: driver)
            return users.isEmpty ? nil : .init(name: section, match: "\(found.device.key)", driver: driver, users: users, isPresent: true)
        }
        let given = assignments.first { $0.address.matches(found.device) }
        var driver = given?.driver ?? found.verdict.driver
        if given == nil { Terminal.say("  \(found.verdict.sentence(for: found.device))") }
        if driver == nil, !yes { driver = askDriver(found) }
        guard let driver else { return nil }
        let wanted = plan.freeName(given?.name ?? "\(driver)", besides: entries)
        guard !yes else { return .init(name: wanted, match: "\(found.device.key)", driver: driver, users: Self.users(of: driver, names)) }
        let name = Terminal.ask("  A name for this \(driver) cuff; its readings are stored under it [\(wanted)]: ") ?? ""
        return .init(
            name: name.isEmpty ? wanted : plan.freeName(name, besides: entries), match: "\(found.device.key)", driver: driver,
            users: askUsers(of: driver))
    }

    private func askDriver(_ found: SetupPlan.Found) -> DriverID? {
        while true {
            let answer = Terminal.ask("  Which cuff is it? Its model (e.g. bm58) or a driver's id; empty leaves it alone: ") ?? ""
            guard !answer.isEmpty else { return nil }
            switch ModelAnswer(answer, for: found.device) {
            case .driver(let id):
                Terminal.say("  It is read by the driver \(id).")
                return id
            case .choice(let models):
                for (index, one) in models.enumerated() { Terminal.say("  \(index + 1)  \(one.model) (\(one.driver))") }
                if let number = Terminal.ask("  Which number? ").flatMap({ Int($0) }), models.indices.contains(number - 1) {
                    return models[number - 1].driver
                }
            case .none(let text): Terminal.say(text)
            }
        }
    }

    private func askUsers(of driver: DriverID) -> [Int: String] {
        func ask(_ question: String) -> String? {
            Terminal.ask("  \(question) Empty if it has no owner: ").flatMap { $0.isEmpty ? nil : $0 }
        }
        guard Self.hasUsers(driver) else { return ask("Whose is this cuff?").map { [0: $0] } ?? [:] }
        var users: [Int: String] = [:]
        for slot in 1...2 { users[slot] = ask("Who is user \(slot) of this cuff?") }
        return users
    }

    /// An empty answer is yes.
    static func agrees(_ question: String) -> Bool { Terminal.ask(question)?.lowercased().first.map { $0 == "y" } ?? true }

    private static func hasUsers(_ driver: DriverID) -> Bool {
        CuffFamilies.named(driver.description)?.capabilities.contains(.users) == true
    }

    /// Slots of cuffs whose readings name them, and the owner of a cuff without users.
    private static func users(of driver: DriverID, _ names: [Int: String]) -> [Int: String] {
        let namesUsers = CuffFamilies.named(driver.description)?.namesUsers == true
        return names.filter { $0.key > 0 ? namesUsers : !hasUsers(driver) }
    }

    private func users() throws -> [Int: String] {
        var users: [Int: String] = [:]
        for text in userName {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let slot = Int(parts[0]), slot >= 0 else {
                throw IngestError(
                    .usage, "invalid `--user-name \(text)`", why: "it is not of the form SLOT=NAME", hint: "write e.g. --user-name 1=Anna")
            }
            users[slot] = parts[1]
        }
        return users
    }
}

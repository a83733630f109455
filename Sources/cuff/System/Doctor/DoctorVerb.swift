import ArgumentParser
import CuffCore
import CuffIngest

struct DoctorVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "doctor", "Checks everything from the USB bus to the database, step by step, and prints how to fix what fails.",
        examples: [
            "cuff doctor": "Everything that is plugged in, your database and the configuration.",
            "cuff doctor /dev/ttyUSB0 --print-rule": "A udev rule that opens this device to you.",
            "cuff doctor --db /var/lib/cuff/readings.db": "Another database, with the modes of its files.",
            "cuff doctor --report report.txt": "One file for a report of a problem, without serial numbers, names and secrets.",
        ])

    @Argument(
        help: "A device, with its driver where it cannot be recognised: /dev/ttyS0,driver=ID; without one, everything that is plugged in.",
        completion: DeviceChoice.completion)
    var device: String?
    @Option(
        help: ArgumentHelp(
            "The database to look at, and who may read and write it (default: this user's; with a device none).", valueName: "file"),
        completion: .file())
    var db: String?
    @Flag(help: "Print a udev rule for this device instead.") var printRule = false
    @Option(
        help: ArgumentHelp(
            "Write versions, devices, checks, configuration, counts and the last log lines to this new file instead; `-` prints them. "
                + "Serial numbers, names, home folders and secrets are taken out. Read it before you send it.", valueName: "file"),
        completion: .file())
    var report: String?
    @Flag(name: .shortAndLong, help: "With --report: replace an existing file.") var force = false
    @Flag(help: "Warnings count as failures.") var strict = false
    @Flag(help: "One JSON object for each check.") var json = false
    @Option(help: ArgumentHelp("As for `cuff watch`.", valueName: "device=driver")) var assign: [String] = []

    func run() throws {
        try Flags.refuse("--strict", when: printRule && strict, why: "--print-rule checks nothing")
        try Flags.refuse("--print-rule", when: printRule && device == nil, why: "a rule is for one device", hint: "name the device")
        if let report { return try write(report) }
        try Flags.refuse("--force", when: force, why: "it replaces the file of --report", hint: "add --report FILE, or leave it out")
        let configuration = try CuffConfiguration.load(skipping: .sections)
        let visit = DoctorVisit(
            device: device, assignments: configuration.assignments + (try WatchSetup.assignments(config: .none, assign: assign)),
            database: db, configuration: configuration)
        if printRule { return Terminal.put(try visit.rule()) }
        let (text, status) = try visit.examine(strict: strict, isJSON: json, width: Terminal.outputWidth)
        if json { Terminal.put(text) } else { Terminal.show(text) }
        if status != .done { throw ExitCode(status) }
    }

    private func write(_ path: String) throws {
        try Flags.refuse("a device", when: device != nil, why: "--report is about everything that is plugged in")
        try Flags.refuse("--print-rule", when: printRule, why: "--report checks everything", hint: "leave out one of the two")
        try Flags.refuse("--strict", when: strict, why: "--report does not judge")
        try Flags.refuse("--json", when: json, why: "--report is a text for people")
        let assignments = try WatchSetup.assignments(config: .none, assign: assign)
        var text = TextBuffer()
        text.append(string: ProblemReport(version: Cuff.version, assignments: assignments, database: db).text())
        let file = try OutputFile(path, replaces: force)
        try file.append(&text)
        try file.finish()
        if path != "-" { Terminal.say("cuff: \(path) is written; read it before you send it") }
    }
}

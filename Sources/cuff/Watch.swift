import ArgumentParser
import CuffCore
import CuffIngest

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "The main job: reads every claimed or assigned cuff, now and when it is plugged in, until stopped.",
        discussion: """
            Cuffs with USB ids of their own are claimed at once. A generic bridge chip is opened only when it is assigned, here or in \
            the configuration:

              cuff watch --assign port:1-1.2=beurer-serial

            Readings are kept in this user's database (as a service: /var/lib/cuff/readings.db), unless the command line or the \
            configuration names sinks.
            """)

    @Option(help: ArgumentHelp("A driver for a device that does not say what it is; `none` never opens it.", valueName: "device=driver"))
    var assign: [String] = []
    @Flag(help: "End when everything that is plugged in has been read.") var once = false
    @Option(help: "Read again after this time while a cuff stays plugged in, e.g. 1h.") var again: Span?
    @Option(help: "The configuration instead of the standard files.", completion: .file()) var config: String?
    @Flag(help: "Read no configuration.") var noConfig = false
    @Flag(help: "Tell at the end what each link, driver and sink has counted; SIGUSR1 asks for the same at any time.") var stats = false
    @Option(help: ArgumentHelp("Answer with the same as OpenMetrics on this port of 127.0.0.1; 0 takes any.", valueName: "port"))
    var metrics: Int?
    @Option(
        help: ArgumentHelp(
            "Take cuffs that call on this port, each a link of its own; on 127.0.0.1, port 6024 and for phd unless said otherwise.",
            valueName: "[host][:port][=driver]"))
    var listen: [String] = []
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var options = try output.ingestOptions()
        var watch = try WatchSetup.options(
            config: noConfig ? .none : .files(config), assign: assign, once: once, again: again?.duration, listen: listen)
        let log = output.log
        let each = "each cuff of a watch has its own; write --assign DEVICE=DRIVER,KEY=VALUE, or a section of the configuration"
        try Flags.refuse("--option", when: !output.option.isEmpty, why: each)
        try Flags.refuse("--device", when: output.device != nil, why: each)
        try Flags.refuse("--again", when: again != nil && once, why: "--once ends when everything was read")
        if output.sink.isEmpty, !watch.sinks.isEmpty { options.sinks = watch.sinks } else { try store.keep(&options, output) }
        watch.options.notices = { log.notice("\($0.sentence)") }
        watch.options.statistics = { log.critical("\($0)") }
        watch.options.showsStatistics = stats
        watch.options.metricsPort = metrics
        options.stop.watch()
        try Ingest.watch(watch.options, options: options).conclude(output)
    }
}

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists what is plugged in, which driver would claim it, and whether this user may open it.")

    @Flag(help: "Stay, and tell what is plugged and unplugged.") var watch = false
    @Flag(help: "One JSON object per device.") var json = false
    @Option(help: ArgumentHelp("As for `cuff watch`.", valueName: "device=driver")) var assign: [String] = []
    @Option(help: "The configuration instead of the standard files.", completion: .file()) var config: String?

    func run() throws {
        let listing = DeviceListing(
            assignments: try WatchSetup.assignments(config: .files(config), assign: assign), isJSON: json,
            isTerminal: Terminal.outputIsTerminal)
        Terminal.put(try listing.plugged())
        guard watch else { return }
        try listing.follow {
            Terminal.put($0)
        } warn: {
            Terminal.say("cuff: \($0)")
        }
    }
}

struct DoctorVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Walks from the USB bus to the database and says, line by line, what stands in the way and how to fix it.")

    @Argument(help: "A device; without one, everything that is plugged in.", completion: .file()) var device: String?
    @Option(help: "The database to look at.", completion: .file()) var db: String?
    @Flag(help: "Print a udev rule for this very device instead.") var printRule = false
    @Flag(help: "Warnings count as failures.") var strict = false
    @Option(help: ArgumentHelp("As for `cuff watch`.", valueName: "device=driver")) var assign: [String] = []

    func run() throws {
        try Flags.refuse("--strict", when: printRule && strict, why: "--print-rule checks nothing")
        try Flags.refuse("--print-rule", when: printRule && device == nil, why: "a rule is for one device", hint: "name the device")
        let visit = DoctorVisit(device: device, assignments: try WatchSetup.assignments(config: .files(nil), assign: assign), database: db)
        if printRule { return Terminal.put(try visit.rule()) }
        let (text, code) = try visit.examine(strict: strict)
        Terminal.put(text)
        if code != 0 { throw ExitCode(code) }
    }
}

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Checks the configuration, or shows what holds and where it was said.", subcommands: [Check.self, ShowConfig.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Reads the configuration and says what is wrong with it.")
        @Option(help: "A file instead of the standard ones.", completion: .file()) var config: String?
        func run() throws {
            let found = try CuffConfiguration.load(config)
            Terminal.put(found.files.isEmpty ? "no configuration\n" : found.files.map { "\($0): ok\n" }.joined())
        }
    }

    struct ShowConfig: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints the effective values, one a line, with their origins.")
        @Option(help: "A file instead of the standard ones.", completion: .file()) var config: String?
        func run() throws { Terminal.put(try CuffConfiguration.load(config).lines.map { $0 + "\n" }.joined()) }
    }
}

import ArgumentParser
import CuffIngest

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "watch", "Reads every claimed or assigned cuff, now and when it is plugged in, until stopped.",
        """
        Cuffs with USB ids of their own are claimed at once. A generic bridge chip is opened only when it is assigned, here or in \
        the configuration. Readings are kept in this user's database (as a service: /var/lib/cuff/readings.db), unless the command line or \
        the configuration names sinks. Alert rules of the configuration are raised and cleared by what is read; see cuff.toml(5).
        """,
        examples: [
            "cuff watch": "Every cuff that is certainly one, until Ctrl-C.",
            "cuff watch --assign port:1-1.2=beurer-serial": "And the adapter in this USB socket.",
            "cuff watch --once --sink sqlite:bp.db": "Reads what is plugged in now, then ends.",
        ])

    @Option(help: ArgumentHelp("The driver for a device that cannot be recognised; `none` never opens it.", valueName: "device=driver"))
    var assign: [String] = []
    @Flag(help: "End when everything that is plugged in has been read.") var once = false
    @Option(help: ArgumentHelp("Read again after this time while a cuff stays plugged in, e.g. 1h (default: never).", valueName: "time"))
    var again: Span?
    @OptionGroup var file: ConfigOption
    @Flag(help: "Read no configuration.") var noConfig = false
    @Flag(help: "Print the counters of each link, driver and sink at the end; SIGUSR1 prints them at any time.") var stats = false
    @Option(help: ArgumentHelp("Serve the same counters as OpenMetrics on this port of 127.0.0.1; 0 picks a free one.", valueName: "port"))
    var metrics: Int?
    @Option(
        help: ArgumentHelp(
            "Serve a page with live pressures and the latest readings, at 127.0.0.1:6025 if no address is given. There every user of this computer can open it, until `cuff web link` has created a token; at other addresses it always needs that link.",
            valueName: "[host][:port]"))
    var web: String?
    @Option(
        help: ArgumentHelp(
            "Accept cuffs that connect to this port, each as a link of its own (default: 127.0.0.1, port 6024, phd).",
            valueName: "[host][:port][=driver]"))
    var listen: [String] = []
    @Option(
        help: ArgumentHelp(
            "Run a program that delivers readings (see `cuff sources`); the configuration has [source.NAME].", valueName: "exec:command"))
    var source: [String] = []
    @OptionGroup var store: StoreOptions
    @Flag(help: Help.keepPatient) var keepPatient = false
    @OptionGroup var output: WatchOutputOptions

    func run() throws {
        var watch = try WatchSetup.options(
            config: noConfig ? .none : .files(file.config), assign: assign, once: once, again: again?.duration, listen: listen,
            source: source)
        let log = output.log
        for section in watch.skipped {
            // Its limits may be those of a sink on the command line.
            if section.kind == "sink", !output.sink.isEmpty { throw section.fault }
            log.error("\(section.fault.text)\n  left out: the other sections hold")
        }
        var options = try output.ingestOptions(limits: noConfig ? nil : watch.configuration)
        options.keepsPatients = keepPatient
        let each = "each cuff of a watch has its own; write --assign DEVICE=DRIVER,KEY=VALUE, or a section of the configuration"
        try Flags.refuse("--option", when: !output.option.isEmpty, why: each)
        try Flags.refuse("--device", when: output.device != nil, why: each)
        try Flags.refuse("--again", when: again != nil && once, why: "--once ends when everything was read")
        watch.options.sinksAreConfigured = output.sink.isEmpty
        if output.sink.isEmpty, !watch.sinks.isEmpty { options.sinks = watch.sinks } else { try store.useStandardStore(&options, output) }
        watch.options.notices = { log.notice("\($0.text)") }
        watch.options.statistics = { log.critical("\($0)") }
        watch.options.showsStatistics = stats
        watch.options.metricsPort = metrics
        if let web {
            do throws(AddressFault) { watch.options.web = try WebAddress(web) } catch {
                throw IngestError(
                    .usage, "`\(web)` is not an address to serve a page on", why: error.reason, hint: "write e.g. --web 127.0.0.1:6025")
            }
        }
        watch.options.generator = "cuff \(Cuff.version)"
        options.stop.watch()
        try Ingest.watch(watch.options, options: options).conclude(output)
    }
}

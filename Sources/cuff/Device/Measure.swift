import ArgumentParser
import CuffCore
import CuffIngest
import Glibc

struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "measure", "Starts a measurement: the cuff inflates. Only `measure` and `schedule` inflate a cuff.",
        """
        A terminal shows the pressure as a bar, a pipe gets JSON Lines: a start line, the pressures, the result and an end line. \
        Ctrl-C sends the cuff's own stop and waits for it to deflate; a second Ctrl-C leaves at once. Exit 0 is a result, 1 a \
        measurement that the cuff says has failed.
        """,
        examples: [
            "cuff measure /dev/ttyUSB0 --driver par-nibp": "One measurement; a bar follows the pressure.",
            "cuff measure auto --json | jq -r 'select(.type == \"blood_pressure\").systolic_mmHg'":
                "The systolic pressure alone, for a script.",
        ])

    @OptionGroup var device: DeviceVerb
    @Option(help: Help.record, completion: .file()) var record: String?
    @Option(name: .shortAndLong, help: ArgumentHelp("Whose arm is in the cuff, if it is not the person of its slot.", valueName: "name"))
    var user: String?
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @Option(help: ArgumentHelp("Give up after this long, e.g. 2m; for a continuous cuff, how long it measures.", valueName: "time"))
    var duration: Span?
    @Flag(help: "Also keep the pressures of a measurement that failed (in databases).") var keepFailed = false

    func run() throws {
        let hasDatabase = output.sink.isEmpty ? !store.noStore : output.sink.contains { $0.hasPrefix("sqlite:") }
        try Flags.refuse(
            "--keep-failed", when: keepFailed && !hasDatabase,
            why: "only a database keeps pressures", hint: "leave out --no-store, or add e.g. --sink sqlite:bp.db")
        var run = try output.liveOptions()
        if let user, case .number = UserChoice(user) {
            throw IngestError(
                .usage, "`\(user)` is not a name", why: "a user number is part of what the cuff sends",
                hint: "write --user NAME; `cuff person` lists the persons")
        }
        run.household.everyone = try user.map { try run.household.known($0) }
        var cuff = try device.cuff(for: .measure, run)
        var options = cuff.options
        try store.useStandardStore(&options, output)
        cuff.recording = record
        if duration == nil { cuff.timeout = nil }
        // The bar goes to standard error, the result to standard output, where no sink writes there.
        if output.sink.isEmpty, !output.isJSON, Terminal.outputIsTerminal && Terminal.errorIsTerminal {
            options.sinks.removeAll(where: \.writesStandardOutput)
        }
        if Terminal.errorIsTerminal, !options.sinks.contains(where: \.writesStandardOutput) {
            options.moreSinks = [
                MeasureView(
                    width: Terminal.errorWidth, isUnicode: Terminal.isUnicode, output: Terminal.outputIsTerminal ? STDOUT_FILENO : nil)
            ]
        }
        options.stop.watch(signals: [SIGINT, SIGTERM, SIGHUP])
        cuff.options = options
        let report = try cuff.measurement(limit: duration?.duration ?? device.timeout?.duration, keepsFailed: keepFailed).report
        report.show(output)
        try report.conclude(output)
    }
}

import ArgumentParser
import CuffCore
import CuffIngest

struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "A simulated cuff on a pseudo terminal, to try everything without hardware.",
        discussion: """
            It prints the path to open, and runs until it is stopped. A family that speaks over HID \
            (\(CuffFamilies.all.filter { $0.medium == .hidraw }.map(\.id.description).joined(separator: ", "))) needs --uhid.
            """)

    @Argument(help: "The cuff family; see `cuff drivers`.", completion: DriverChoice.completion) var driver: String
    @Option(help: "How many measurements it holds.") var count = 3
    @Option(help: "The seed of the measurements.") var seed: UInt64 = 1
    @Option(help: "The time between two measurements that it sends unasked.") var every = Span.seconds(1)
    @Flag(inversion: .prefixedNo, help: "Whether it sends unasked, where the family can.") var push = true
    @Option(help: "Run the cuff's time this many times as fast.") var speed = 1.0
    @Option(help: "Also make a symbolic link to the terminal here.") var link: String?
    @Option(help: "Listen on a TCP port of this machine instead; 0 picks a free one.") var tcp: Int?
    @Option(help: ArgumentHelp("Connect to a program that listens there instead, as IEEE 11073 agents do.", valueName: "tcp://HOST:PORT"))
    var connect: String?
    @Option(
        help: ArgumentHelp(
            "Create a HID device on this machine instead, for HID families: /dev/uhid, which only root may open.",
            valueName: "path"))
    var uhid: String?
    @Option(help: "Play the cuff's side of a capture instead.", completion: .file()) var play: String?
    @Option(name: .customLong("for"), help: "End after this time.") var limit: Span?
    @Option(
        name: .customLong("option"),
        help: ArgumentHelp("An option of the family's simulator; `cuff drivers ID` lists them.", valueName: "name=value")) var option:
        [String] = []
    @Flag(name: .shortAndLong, help: "Print what happens.") var verbose = false

    func run() throws {
        let driver = try DriverChoice.named(driver)
        guard (0...100_000).contains(count) else {
            throw IngestError(.usage, "`--count \(count)` is out of range", why: "a simulated cuff holds 0 to 100000 measurements")
        }
        guard (0.001...1_000_000).contains(speed) else {
            throw IngestError(
                .usage, "`--speed \(speed)` is out of range", why: "a factor is 0.001 to 1000000", hint: "write e.g. --speed 10")
        }
        var output = OutputOptions()
        output.option = option
        var script = SimulatorScript(
            records: SimulatedRecord.sample(count: count, seed: seed), pushes: push,
            interval: every.duration)
        script.options = try output.driverOptions()
        let isVerbose = verbose
        let simulation = try Simulation(
            driver: driver, script: script, playing: play, on: Simulation.Place(tcp: tcp, connect: connect, uhid: uhid), speed: speed,
            note: { if isVerbose { Terminal.say("cuff: \($0)") } })
        try SimulationRun.run(simulation, link: link, limit: limit?.duration) { Terminal.put("\($0)\n") }
    }
}

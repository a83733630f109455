import ArgumentParser
import CuffCore
import CuffIngest

struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "simulate", "Runs a simulated cuff on a pseudo terminal, to try everything without hardware.",
        """
        It prints the path to open, and runs until it is stopped. A driver for HID cuffs (\(hidDrivers)) needs --uhid.
        """,
        examples: [
            "cuff simulate and-std --link /tmp/cuff": "Then, elsewhere: cuff read /tmp/cuff --driver and-std --follow",
            "cuff simulate phd --tcp 6024": "An IEEE 11073 agent on a TCP port of this machine.",
        ])

    private static var hidDrivers: String {
        CuffFamilies.all.filter { $0.medium == .hidraw }.map { "\($0.id)" }.joined(separator: ", ")
    }

    @Argument(help: "The driver; see `cuff drivers`.", completion: DriverChoice.completion) var driver: String
    @Option(help: ArgumentHelp("How many measurements it holds.", valueName: "count")) var count = 3
    @Option(help: ArgumentHelp("The seed of the measurements.", valueName: "number")) var seed: UInt64 = 1
    @Option(help: ArgumentHelp("The time between two measurements that it sends unasked.", valueName: "time")) var every = Span.seconds(1)
    @Flag(inversion: .prefixedNo, help: "Whether it sends measurements unasked, if such cuffs can.") var push = true
    @Option(help: ArgumentHelp("The speed of the cuff's time, as a factor, e.g. 60.", valueName: "factor")) var speed = 1.0
    @Option(help: ArgumentHelp("Also make a symbolic link to the terminal here.", valueName: "path"), completion: .file()) var link: String?
    @Option(help: ArgumentHelp("Listen on a TCP port of this machine instead; 0 picks a free one.", valueName: "port")) var tcp: Int?
    @Option(help: ArgumentHelp("Connect to a program that listens there instead, as IEEE 11073 agents do.", valueName: "tcp://HOST:PORT"))
    var connect: String?
    @Option(
        help: ArgumentHelp(
            "Create a HID device on this machine instead, for HID families: /dev/uhid, which only root may open.",
            valueName: "path"))
    var uhid: String?
    @Option(help: ArgumentHelp("Play the cuff's side of a capture instead.", valueName: "file"), completion: .file()) var play: String?
    @Option(name: .customLong("for"), help: ArgumentHelp("End after this time.", valueName: "time")) var limit: Span?
    @Option(
        help: ArgumentHelp("An option of the family's simulator; `cuff drivers ID` lists them.", valueName: "name=value"),
        completion: DriverChoice.simulatorOptionCompletion) var option: [String] = []
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
        try Flags.refuse(
            "--link", when: link != nil && (tcp != nil || connect != nil || uhid != nil), why: "only a pseudo terminal gets a link")
        var script = SimulatorScript(
            records: SimulatedRecord.sample(count: count, seed: seed), pushes: push,
            interval: every.duration)
        script.options = try DriverChoice.options(option)
        let isVerbose = verbose
        let simulation = try Simulation(
            driver: driver, script: script, playing: play, on: Simulation.Place(tcp: tcp, connect: connect, uhid: uhid), speed: speed,
            note: { if isVerbose { Terminal.say("cuff: \($0)") } })
        try SimulationRun.run(simulation, link: link, limit: limit?.duration) { Terminal.put("\($0)\n") }
    }
}

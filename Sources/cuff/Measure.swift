import ArgumentParser
import CuffIngest

struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Starts a measurement: the cuff inflates. The only verb that does.",
        discussion: "Ctrl-C sends the cuff's own stop and waits for it to deflate; a second Ctrl-C leaves at once.")

    @OptionGroup var device: DeviceVerb
    @OptionGroup var output: OutputOptions

    func run() throws {
        try device.run(.measure, options: try output.ingestOptions()).conclude(output)
    }
}

struct Stop: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Stops a running measurement and lets the cuff deflate.")

    @OptionGroup var device: DeviceVerb
    @OptionGroup var output: OutputOptions

    func run() throws {
        try device.run(.stop, options: try output.ingestOptions()).conclude(output)
    }
}

import ArgumentParser
import CuffCore
import CuffIngest

/// The options of verbs that use one cuff.
struct DeviceVerb: ParsableArguments {
    @Argument(help: ArgumentHelp("One of \(TransportKind.forms()).", valueName: "device"), completion: .file())
    var address: String
    @Option(
        help: ArgumentHelp("The driver; `cuff drivers MODEL` finds it. A cuff with USB ids of its own needs none.", valueName: "id"),
        completion: DriverChoice.completion)
    var driver: String?
    @Option(help: ArgumentHelp("Give up after this long, e.g. 30s (default: as long as the cuff's protocol takes).", valueName: "time"))
    var timeout: Span?
    @Option(help: ArgumentHelp("Other line settings than the driver's, e.g. \"2400 8E1\".", valueName: "settings")) var line: String?

    func run(
        _ command: SessionCommand, follow: Bool = false, filter: ReadingFilter? = nil, recording: String? = nil,
        options: IngestOptions
    ) throws -> IngestReport {
        var read = try reading(command, follow: follow)
        read.recording = recording
        read.filter = filter
        let (place, options) = try place(for: read, options)
        try refuseIdleLine(place)
        options.stop.watch()
        return try Ingest.read(place.address, driver: place.driver, read, options: options)
    }

    /// Finds the device; throws if its family does not support the command.
    func place(for command: SessionCommand, _ options: IngestOptions) throws -> (DevicePlace, IngestOptions) {
        try place(for: ReadOptions(command), options)
    }

    private func place(for read: ReadOptions, _ options: IngestOptions) throws -> (DevicePlace, IngestOptions) {
        let refusal = try driver.map { try DriverChoice.named($0) }.flatMap { $0.refusal(of: read.firstCommand(for: $0)) }
        var options = options
        let place: DevicePlace
        do { place = try DevicePlace(address, driver: driver) } catch { throw refusal ?? error }
        // A cuff left inflating by a dead process is stopped first, whatever the command.
        if let refusal, !Ingest.isLeftMeasuring(place.address, driver: place.driver, options) { throw refusal }
        if options.device.isEmpty { options.device = place.device }
        return (place, options)
    }

    /// Refuses line settings for devices without a serial line.
    private func refuseIdleLine(_ place: DevicePlace) throws {
        guard line != nil else { return }
        let isPath = if case .node = place.address { true } else { false }
        try Flags.refuse("--line", when: !isPath, why: "a network connection has the settings of its server", hint: "set them there")
        let isSerial = try DriverChoice.named(place.driver).medium == .tty
        try Flags.refuse("--line", when: !isSerial, why: "\(place.driver) uses no serial line, so there is no baud rate")
    }

    func reading(_ command: SessionCommand, follow: Bool = false) throws -> ReadOptions {
        var read = ReadOptions(command, follows: follow)
        read.timeout = timeout?.duration
        read.line = try LineChoice.settings(line)
        return read
    }
}

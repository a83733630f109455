import ArgumentParser
import CuffCore
import CuffIngest

struct DeviceVerb: ParsableArguments {
    @Argument(help: ArgumentHelp("One of \(TransportKind.forms()).", valueName: "device"), completion: DeviceChoice.completion)
    var address: String
    @Option(
        help: ArgumentHelp("The driver's id, or the cuff's model. A cuff with USB ids of its own needs none.", valueName: "id|model"),
        completion: DriverChoice.completion)
    var driver: String?
    @Option(help: ArgumentHelp("Give up after this long, e.g. 30s (default: as long as the cuff's protocol takes).", valueName: "time"))
    var timeout: Span?
    @Option(help: ArgumentHelp("Other line settings than the driver's, e.g. \"2400 8E1\".", valueName: "settings")) var line: String?

    func run(
        _ command: SessionCommand, follow: Bool = false, filter: ReadingFilter? = nil, recording: String? = nil,
        quietly: Bool, options: IngestOptions
    ) throws -> IngestReport {
        var cuff = try cuff(for: command, follow: follow, options)
        cuff.recording = recording
        try refuseIdleLine(cuff)
        options.stop.watch()
        if Terminal.errorIsTerminal, !quietly {
            let preparation = NoAnswer.preparation(cuff.driver)
            cuff.whenSilent = { Terminal.say("cuff: waiting for the cuff (\(preparation)) …") }
        }
        return try cuff.conversation(command, follows: follow, filter: filter)
    }

    /// As `IngestReport.conclude`; if the cuff sent nothing at all, followed by the likely causes.
    func conclude(_ report: IngestReport, _ output: some RunOptions) throws {
        do { try report.conclude(output) } catch {
            let place = try? DevicePlace(address, driver: driverID())
            if !output.quiet, let place, let driver = CuffFamilies.named(place.driver) {
                NoAnswer(report, driver, at: Self.place(address), line: try? LineChoice.settings(line))?.print()
            }
            throw error
        }
    }

    /// Without the driver that may follow, which other verbs do not read.
    static func place(_ address: String) -> String {
        String(address.prefix(upTo: address.firstRange(of: ",driver=")?.lowerBound ?? address.endIndex))
    }

    func driverID() throws -> String? { try driver.map { try DriverChoice.named($0, at: address).id.description } }

    /// The cuff at the device; refused where its family cannot do what is wanted.
    func cuff(for command: SessionCommand, follow: Bool = false, _ options: IngestOptions) throws -> CuffIngest.Cuff {
        let driver = try driverID()
        let read = ReadOptions(command, follows: follow)
        let refusal = try driver.map { try DriverChoice.named($0) }.flatMap { $0.refusal(of: read.firstCommand(for: $0)) }
        let place: DevicePlace
        // A stop must not fail because of a faulty file.
        let assignments = (try? CuffConfiguration.load(skipping: .sections))?.assignments ?? []
        do { place = try DevicePlace(address, driver: driver, assignments: assignments) } catch { throw refusal ?? error }
        // A cuff left inflating by a dead process is stopped first, whatever the command.
        if let refusal, !Ingest.isLeftMeasuring(place.address, driver: place.driver, options) { throw refusal }
        return try connected(place, options)
    }

    /// The cuff at a place, with the options of the command line.
    func connected(_ place: DevicePlace, _ options: IngestOptions) throws -> CuffIngest.Cuff {
        var cuff = CuffIngest.Cuff(at: place.address, driver: try DriverChoice.named(place.driver), options: options)
        if cuff.options.device.isEmpty { cuff.options.device = place.device }
        cuff.timeout = timeout?.duration
        cuff.line = try LineChoice.settings(line)
        cuff.options.model = driver.flatMap { CuffModel.named($0, of: cuff.driver) }
        return cuff
    }

    /// Refuses line settings for devices without a serial line.
    private func refuseIdleLine(_ cuff: CuffIngest.Cuff) throws {
        guard line != nil else { return }
        let isPath = if case .node = cuff.address { true } else { false }
        try Flags.refuse("--line", when: !isPath, why: "a network connection has the settings of its server", hint: "set them there")
        try Flags.refuse(
            "--line", when: cuff.driver.medium != .tty, why: "\(cuff.driver.id) uses no serial line, so there is no baud rate")
    }
}

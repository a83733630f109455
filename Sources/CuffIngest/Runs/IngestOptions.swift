import CuffClinical
import CuffCore

/// The options of every run. Commands fill this in and contain no other logic.
public struct IngestOptions: Sendable {
    /// The sinks; empty: standard output.
    public var sinks: [SinkSpec] = []
    /// The embedding program's own sinks, all required.
    public var moreSinks: [any ReadingSink] = []
    /// Print the record's bytes in JSON Lines.
    public var includesRaw = false
    /// Stores the patient of a reading, if the cuff reports one, in the column `patient` of SQLite sinks, and nowhere else.
    public var keepsPatients = false
    /// The program with its version, such as `cuff/0.2.0`: kept with each reading that one of its drivers decodes, where a sink stores it.
    public var program: String?
    /// Names the persons of readings. Not used for recorded bytes.
    public var household = Household()
    /// The cuff's identity as far as the host knows.
    public var device = ""
    /// The zone of the cuff's clock; `nil`: the machine's, and readings from files get no absolute time.
    public var zone: ZoneTable?
    /// Maker and model of the cuff, if known; stored in a recording.
    public var model: String?
    /// The available families; an embedding program may add its own.
    public var drivers: [CuffDriver] = CuffFamilies.all
    /// The available transports; an embedding program may add its own.
    package var transports: [TransportKind] = TransportKind.all
    /// Options of the driver.
    public var driverOptions: [String: String] = [:]
    /// Receives diagnostics, from any thread.
    public var diagnostics: @Sendable (Diagnostic) -> Void = { _ in }
    /// Formats errors for `diagnostics`; a program may add advice.
    public var explain: @Sendable (IngestError) -> String = { $0.description }
    /// Ends the run when raised.
    package var stop = StopSignal()
    /// Ends the run after this many readings.
    public var maximum: Int?
    /// Stores what sessions with a cuff remember. Not used for recorded bytes.
    package var memory: DriverMemory?
    /// The clock for the arrival of live bytes in `decode`.
    public var clock: @Sendable () -> LinkTime = { HostClock.linkTime }

    /// The defaults of the command line, without sinks.
    public init() {}

    /// Ends the runs of these options in order on SIGINT and SIGTERM. The second signal of a kind ends the process at once.
    public func endOnSignals() { stop.watch() }

    func driver(_ id: String) -> CuffDriver? { drivers.first { $0.id.description == id } }

    /// Whether there is a required durable sink.
    public var keepsReadings: Bool { sinks.contains { $0.isRequired && $0.isDurable } || moreSinks.contains { $0.isDurable } }

    /// Formats frames that were not understood for the default level; `nil` once enough of a kind were reported.
    public static func ignoredFrames() -> @Sendable (Diagnostic) -> String? {
        let frames = Locked(IgnoredFrames())
        return { diagnostic in frames.withLock { $0.sentence(for: diagnostic) } }
    }
}

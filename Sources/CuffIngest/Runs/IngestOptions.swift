import CuffClinical
import CuffCore
import Dispatch
import Glibc

/// What every run of the program needs to know. Commands fill this in and hold no other logic.
public struct IngestOptions: Sendable {
    /// Where readings go; empty means standard output.
    public var sinks: [SinkSpec] = []
    /// Sinks of the embedding program's own, all of them required.
    public var moreSinks: [any Sink] = []
    /// Print the record's bytes in JSON Lines.
    public var includesRaw = false
    /// Keep whom a reading is of, where the cuff says so, in the column `patient` of SQLite sinks; nothing else ever has it.
    public var keepsPatients = false
    /// Who is who: readings get the names of their persons by it. Recorded bytes name nobody.
    public var household = Household()
    /// Who the cuff is, as far as the host knows.
    public var device = ""
    /// The zone of the cuff's clock; `nil`: the machine's, and readings from files get no time of their own.
    public var zone: ZoneTable?
    /// The families that are known; an embedding program adds its own.
    public var drivers: [CuffDriver] = CuffFamilies.all
    /// The transports that open addresses; an embedding program adds its own.
    public var transports: [TransportKind] = TransportKind.all
    /// Options of the driver's family.
    public var driverOptions: [String: String] = [:]
    /// Hears of everything worth telling, from any thread.
    public var diagnostics: @Sendable (Diagnostic) -> Void = { _ in }
    /// Puts an error into words for `diagnostics`; a program may add what to do about it.
    public var explain: @Sendable (IngestError) -> String = { $0.description }
    /// Ends the run early when it is raised.
    public var stop = StopSignal()
    /// The run ends in order after so many readings; `nil` sets no end.
    public var maximum: Int?
    /// Where sessions with a cuff keep what they remember; `nil` keeps nothing. Recorded bytes remember nothing.
    public var memory: DriverMemory?
    /// The clock by which `decode` says when live bytes came.
    public var clock: @Sendable () -> LinkTime = { HostClock.linkTime }

    /// The defaults of the command line, without sinks.
    public init() {}

    /// The driver of this id; `nil` for one that is not in the list.
    func driver(_ id: String) -> CuffDriver? { drivers.first { $0.id.description == id } }

    /// A required sink is among them that keeps what it takes.
    public var keepsReadings: Bool { sinks.contains { $0.isRequired && $0.isDurable } || moreSinks.contains { $0.isDurable } }

    /// What to say at the default level of a frame that was not understood; `nil` once enough was said of its kind.
    public static func ignoredFrames() -> @Sendable (Diagnostic) -> String? {
        let frames = Locked(IgnoredFrames())
        return { diagnostic in frames.withLock { $0.sentence(for: diagnostic) } }
    }
}

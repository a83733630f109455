extension LinkState {
    /// What a link needs to know before it begins.
    public struct Setup: Sendable {
        /// The driver of the cuff.
        public var driver: CuffDriver
        /// Who the cuff is as far as the host knows, e.g. a USB serial number or a path; empty when unknown.
        public var device: String
        /// Options of the driver's family.
        public var options: [String: String]
        /// What earlier links with cuffs of this driver asked to be remembered.
        public var memory: [String: [UInt8]]
        /// The zone of the cuff's clock. Without it readings get no `measured`.
        public var zone: ZoneTable?
        /// With a zone: only readings that have a receive time are given a time.
        public var placesArrivalsOnly = false
        /// Readings will be `committed`. Without a durable sink they never are, and the session must not wait for it.
        public var keepsReadings = true
        /// What an earlier link with the cuff of this name left unacknowledged.
        public var outstanding: @Sendable (_ device: String) -> OutstandingRecords = { _ in OutstandingRecords() }
        /// A measurement that another process left behind and the first command, a stop, ends.
        public var recovering: AbandonedMeasurement?
        /// A line without a whole frame within this is closed; `nil`: it may stay silent.
        public var silenceLimit: Duration?
        /// The bytes are recorded: they may go on after the session has finished, and are read to their end.
        public var isRecorded = false
        /// Obeyed one after the other, each in a session of its own.
        public var commands: [SessionCommand]
        /// Nothing below the protocol notices damaged bytes: a serial line. Where the protocol has no check of its own, readings say so.
        public var isLineUnchecked = false
        /// Which readings are wanted; `nil`: all. What it leaves out is counted, and not stored.
        public var accepts: (@Sendable (Reading) -> Bool)?
        /// Who asked for a measurement.
        public var trigger = Reading.Trigger.manual
        /// The longest a measurement may take.
        public var measurementLimit = Measurement.longest

        /// The other properties keep their defaults until they are set.
        public init(
            _ driver: CuffDriver, device: String = "", options: [String: String] = [:], memory: [String: [UInt8]] = [:],
            commands: [SessionCommand] = [.follow]
        ) {
            self.driver = driver
            self.device = device
            self.options = options
            self.memory = memory
            self.commands = commands
        }

        var context: SessionContext {
            SessionContext(
                device: device, options: options, memory: memory, keepsReadings: keepsReadings || !forgets, isRecorded: isRecorded)
        }
        var forgets: Bool { driver.forgets(options) }
    }
}

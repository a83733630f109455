extension LinkState {
    /// The configuration of a link.
    public struct Setup: Sendable {
        /// The driver of the cuff.
        public var driver: CuffDriver
        /// The cuff's identity as known to the host, e.g. a USB serial number or path; empty if unknown.
        public var device: String
        /// Options of the driver's family.
        public var options: [String: String]
        /// Data that earlier links with cuffs of this driver stored.
        public var memory: [String: [UInt8]]
        /// The zone of the cuff's clock; without it only a time sent with its offset from UTC gives a `measured`.
        public var zone: ZoneTable?
        /// Use the zone only for readings that have a receive time.
        public var placesArrivalsOnly = false
        /// Readings will be `committed`. Without a durable sink they are not, and the session must not wait for it.
        public var keepsReadings = true
        /// Records that an earlier link with the named cuff left unacknowledged.
        public var outstanding: @Sendable (_ device: String) -> OutstandingRecords = { _ in OutstandingRecords() }
        /// A measurement of another process, ended by the first command, a stop.
        public var recovering: AbandonedMeasurement?
        /// Close the line if no whole frame comes within this time; `nil`: no limit.
        public var silenceLimit: Duration?
        /// The bytes are a recording, read to the end even after the session has finished.
        public var isRecorded = false
        /// Executed one after the other, each in its own session.
        public var commands: [SessionCommand]
        /// No layer below the protocol detects damage (a serial line); readings of protocols without a check are then marked.
        public var isLineUnchecked = false
        /// The wanted readings; `nil`: all. Others are counted, not stored.
        public var accepts: (@Sendable (Reading) -> Bool)?
        /// The origin of a measurement request.
        public var trigger = Reading.Trigger.manual
        /// The time limit of a measurement.
        public var measurementLimit = MeasurementState.longest

        /// Creates a setup; other properties have defaults.
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

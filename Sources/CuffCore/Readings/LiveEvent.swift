/// An event during a measurement; displayed, possibly thinned, never stored as a reading or acknowledged to the cuff.
public enum LiveEvent: Sendable, Hashable {
    case cuffPressure(Pressure)
    /// A heart beat with the pressures derived by the cuff (continuous finger cuffs), and milliseconds since the previous one.
    /// `precededByGap`, set by the link: beats between the two were lost.
    case beat(BloodPressure, interval: UInt16, precededByGap: Bool = false)
    case started
    /// One oscillation during deflation, as listed after a result: cuff pressure and amplitude (no unit known).
    case oscillation(Pressure, amplitude: UInt16)
    /// Samples of a recorded signal, e.g. an ECG or a pleth.
    case waveform(Waveform)
    /// The measurement ended; its result, if any, is a separate reading.
    case ended
    case aborted
    /// A measurement left behind by another process was stopped now.
    case recovered(AbandonedMeasurement)
    /// The measurement did not start or was lost, without a record from the cuff.
    case failed(MeasurementFailure)
    /// A change of the user's alert rule; never thinned, and also passed to sinks that accept only lasting lines.
    indirect case alert(AlertNotice)
}

/// A measurement that a former process left running.
public struct AbandonedMeasurement: Sendable, Hashable {
    /// The start time by the host's clock.
    public var begun: Timestamp
    /// The id of the process that started it, if known.
    public var process: Int32?

    /// Creates an entry.
    public init(begun: Timestamp, process: Int32?) {
        self.begun = begun
        self.process = process
    }
}

/// A cuff's identity as it reports it. All text is printable ASCII.
public struct DeviceIdentity: Sendable, Hashable {
    /// The storage key: an IEEE 11073 system id or a serial number; empty if the cuff sends none.
    public var id: String
    /// The maker's name as sent, if any.
    public var manufacturer: String?
    /// The model as sent, if any.
    public var model: String?
    /// The serial number as sent, if any.
    public var serial: String?
    /// The firmware version as sent, if any.
    public var firmware: String?
    /// Battery charge in percent.
    public var battery: Int?
    /// The device asks for its clock to be set.
    public var wantsClock = false
    /// Further facts for display; names may repeat.
    public var details: [Detail] = []

    /// One fact about a device.
    public struct Detail: Sendable, Hashable {
        /// The fact's name, e.g. `production part number`.
        public var name: String
        /// The value as sent.
        public var value: String

        /// Creates a detail.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates an identity; text from the wire must first pass through `text(_:)`.
    public init(
        id: String = "", manufacturer: String? = nil, model: String? = nil, serial: String? = nil,
        firmware: String? = nil, battery: Int? = nil
    ) {
        self.id = id
        self.manufacturer = manufacturer
        self.model = model
        self.serial = serial
        self.firmware = firmware
        self.battery = battery
    }

    /// Printable ASCII, trimmed; other characters become `?`.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes where byte != 0 {
            text.unicodeScalars.append(byte >= 0x20 && byte < 0x7F ? Unicode.Scalar(byte) : "?")
        }
        while text.last == " " { text.removeLast() }
        while text.first == " " { text.removeFirst() }
        return text
    }
}

/// A reading or live event for the sinks.
public enum BatchEntry: Sendable {
    case reading(Reading)
    case live(LiveEvent, driver: DriverID, elapsed: Duration?)
}

extension DeviceIdentity {
    /// The hardware revision, among the details; `nil` if it is unknown.
    public var hardware: String? {
        get { detail("hardware revision") }
        set { setDetail("hardware revision", newValue) }
    }
    /// The software revision, among the details; `nil` if it is unknown.
    public var software: String? {
        get { detail("software revision") }
        set { setDetail("software revision", newValue) }
    }
    /// The unique device identifier of its label, among the details; `nil` if it is unknown. No supported cuff sends it; a program may set it.
    public var udi: String? {
        get { detail("UDI") }
        set { setDetail("UDI", newValue) }
    }

    private func detail(_ name: String) -> String? { details.first { $0.name.hasSuffix(name) }?.value }

    private mutating func setDetail(_ name: String, _ value: String?) {
        details.removeAll { $0.name.hasSuffix(name) }
        if let value { details.append(Detail(name: name, value: value)) }
    }
}

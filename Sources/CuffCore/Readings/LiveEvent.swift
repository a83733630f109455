/// What happens while a cuff measures. Live events are shown and may be thinned; they are not readings and are never
/// acknowledged to the cuff.
public enum LiveEvent: Sendable, Hashable {
    case cuffPressure(Pressure)
    /// A heart beat with the pressures the cuff derived from it (continuous finger cuffs), and milliseconds since the one before.
    /// `precededByGap`: beats between the two did not arrive. The link finds that out; a session leaves it `false`.
    case beat(BloodPressure, interval: UInt16, precededByGap: Bool = false)
    case started
    /// One oscillation of the deflation, as a cuff lists them after a result: cuff pressure and amplitude (no unit known).
    case oscillation(Pressure, amplitude: UInt16)
    /// Samples of a signal that the device records: an ECG, a pleth.
    case waveform(Waveform)
    /// The measurement ended; its result, if any, is a reading of its own.
    case ended
    /// The measurement was stopped, by the host or on the cuff.
    case aborted
    /// A measurement that another process had left behind was stopped now.
    case recovered(AbandonedMeasurement)
    /// The measurement did not start or was lost, and the cuff sent no record of that.
    case failed(Failure)
    /// A rule of the user began to hold, or no longer does. It is never left out, and sinks that keep lines for others take it as well.
    indirect case alert(AlertNotice)
}

/// Whose measurement was left behind: when it was begun, and by which process.
public struct AbandonedMeasurement: Sendable, Hashable {
    /// When the measurement was started, by the host's clock.
    public var begun: Timestamp
    /// The id of the process that started it; `nil` where it is not known.
    public var process: Int32?

    /// Sets each property as given.
    public init(begun: Timestamp, process: Int32?) {
        self.begun = begun
        self.process = process
    }
}

/// Who a cuff says it is. Every text is printable ASCII.
public struct DeviceIdentity: Sendable, Hashable {
    /// The key under which its readings are stored: an IEEE 11073 system id, a serial number. Empty: the cuff sends none.
    public var id: String
    /// The maker's name as sent; `nil` where the cuff tells none.
    public var manufacturer: String?
    /// The model as sent; `nil` where the cuff tells none.
    public var model: String?
    /// The serial number as sent; `nil` where the cuff tells none.
    public var serial: String?
    /// The firmware version as sent; `nil` where the cuff tells none.
    public var firmware: String?
    /// Battery charge in percent.
    public var battery: Int?
    /// The device says that its clock should be set.
    public var wantsClock = false
    /// What it says beside that, for people: `name` and `value` are printable ASCII, several rows may have one name.
    public var details: [Detail] = []

    /// One thing that a device says of itself.
    public struct Detail: Sendable, Hashable {
        /// What it is, e.g. `production part number`.
        public var name: String
        /// What the device says.
        public var value: String

        /// Sets each property as given.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Sets each property as given; text from the wire goes through `text(_:)` first.
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

    /// Printable ASCII of what a device sent, blanks trimmed at both ends; everything else becomes `?`.
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

/// One thing that goes to the sinks, in the order in which the cuff said it.
public enum Entry: Sendable {
    case reading(Reading)
    case live(LiveEvent, driver: DriverID, elapsed: Duration?)
}

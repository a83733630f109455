import CuffCore

/// A reading in the words of the JSON vocabulary, numbers as the digits that were sent. FHIR, Open mHealth and InfluxDB are
/// written from it, for readings from a store and from lines of JSON.
public struct ExchangeReading: Sendable, Hashable {
    /// When a reading was measured.
    public struct Time: Sendable, Hashable {
        /// Since 1970-01-01T00:00:00Z.
        public var milliseconds: Int64
        /// RFC 3339 with seconds and offset.
        public var text: String
        /// The cuff's clock at the reception, if its time was corrected or not set.
        public var clockCheck: ClockCheck?

        /// Sets each property as given.
        public init(milliseconds: Int64, text: String, clockCheck: ClockCheck? = nil) {
            (self.milliseconds, self.text, self.clockCheck) = (milliseconds, text, clockCheck)
        }
    }

    /// The cuff's clock compared with this computer's clock.
    public struct ClockCheck: Sendable, Hashable {
        /// What the cuff's clock showed, with the offset of the zone; `nil` if it was not set.
        public var cuff: String?
        /// What this computer's clock showed at that moment.
        public var host: String

        /// The clock was not set when the reading arrived (ms since 1970); `offset` in minutes east of UTC.
        public init(unsetAt received: Int64, offset: Int) { host = ExchangeReading.text(received, offset: offset) }

        /// `device` is the cuff's time of the reading in the offset, `measured` the corrected one (ms since 1970): the cuff's
        /// clock was as far off when the reading arrived.
        public init(device: Int64, measured: Int64, received: Int64, offset: Int) {
            cuff = ExchangeReading.text(received + device - measured, offset: offset)
            host = ExchangeReading.text(received, offset: offset)
        }
    }

    /// The pressures of a reading; all empty if it has none.
    public struct Pressures: Sendable, Hashable {
        /// The three pressures.
        public var systolic = Pressure(), diastolic = Pressure(), mean = Pressure()
        /// No pressure.
        public init() {}
    }

    /// One pressure: its digits, or the reason for its absence.
    public struct Pressure: Sendable, Hashable {
        /// Digits in mmHg.
        public var mmHg: String?
        /// Digits in kPa, if the cuff sends kPa.
        public var kPa: String?
        /// The word of `Absence`.
        public var absence: String?

        /// Sets each property as given.
        public init(mmHg: String? = nil, kPa: String? = nil, absence: String? = nil) {
            (self.mmHg, self.kPa, self.absence) = (mmHg, kPa, absence)
        }
    }

    /// A quantity other than a blood pressure.
    public struct Quantity: Sendable, Hashable {
        /// `code`: its name in the nomenclature, and the digits of `mdc`.
        public var code: String?, mdc: String?
        /// The digits of `value`, or the word of `value_absent`.
        public var value: String?, absence: String?
        /// `unit`, or the digits of `unit_mdc` if the unit has no name.
        public var unit: String?, unitCode: String?
        /// Nothing is known.
        public init() {}
    }

    /// A measurement that failed: `event`, `reason`, and the cuff's own `code`.
    public struct Failure: Sendable, Hashable {
        /// The words as the line has them.
        public var event: String?, reason: String?, code: String?
        /// Sets each property as given.
        public init(event: String? = nil, reason: String? = nil, code: String? = nil) {
            (self.event, self.reason, self.code) = (event, reason, code)
        }
    }

    /// `id`.
    public var id = ""
    /// `revision`; 0 at first.
    public var revision = 0
    /// `blood_pressure`, `pulse_rate`, `quantity` or `measurement` (a failed one); of a pending reading the type it will have.
    public var type = ""
    /// The values may still be completed.
    public var isPending = false
    /// `driver`.
    public var driver = ""
    /// `device`; `nil` if it is unknown.
    public var device: String?
    /// `user`.
    public var user: Int?
    /// `person`.
    public var person: String?
    /// `decoder`.
    public var decoder: String?
    /// `flags`.
    public var flags: [String] = []
    /// A person typed it in.
    public var isEntered = false
    /// The best known time of the measurement.
    public var time: Time?
    /// Systolic, diastolic and mean pressure.
    public var pressures = Pressures()
    /// Digits of `pulse_per_min`.
    public var pulse: String?
    /// The value of a reading of type `quantity`.
    public var quantity = Quantity()
    /// Why a measurement failed.
    public var failure = Failure()
    /// `note`, `medication`, `posture` and `arm`.
    public var remarks: Remarks?
    /// A program has added facts of its own, which these formats have no place for.
    public var hasMetadata = false

    /// Everything is unknown.
    public init() {}

    /// Whose it is.
    public var owner: Person { Person(name: person, slot: user, device: device ?? "", driver: driver) }

    /// Why no average counts the reading; `nil` if its flags do not exclude it.
    public var exclusion: Exclusion? { InclusionRule(zone: .utc).reason(MeasurementFlags.named(among: flags)) }

    /// The same facts that `ReadingLine` prints. `zone` dates a reading that has only its cuff's own time.
    public init(_ reading: Reading, from provenance: Provenance, zone: ZoneTable) {
        id = reading.id.description
        revision = Int(reading.revision)
        isPending = reading.isPending
        driver = provenance.driver
        device = provenance.device.isEmpty ? nil : provenance.device
        user = reading.user.map { Int($0) }
        person = reading.person
        decoder = reading.decoder
        flags = reading.flags.list.map(\.description)
        isEntered = reading.isEntered
        (remarks, hasMetadata) = (reading.remarks, !reading.metadata.isEmpty)
        time = Self.time(of: reading, zone)
        setContent(reading.content)
    }

    private static func time(of reading: Reading, _ zone: ZoneTable) -> Time? {
        guard let best = reading.bestTime(in: zone) else { return nil }
        // Whole seconds, as the line has them: the same reading is the same point, wherever it came from.
        let whole = Timestamp(seconds: best.seconds)
        let offset =
            reading.measured != nil
            ? Int(reading.measuredOffset) : reading.clock.time?.utcOffset.map { Int($0) } ?? zone.offset(at: whole.seconds) / 60
        var time = Time(milliseconds: whole.milliseconds, text: text(whole.milliseconds, offset: offset))
        guard let received = reading.received?.milliseconds else { return time }
        switch reading.clock {
        case .unset, .impossible: time.clockCheck = ClockCheck(unsetAt: received, offset: offset)
        case .time(let device):
            guard reading.rule == .corrected, let measured = reading.measured else { break }
            let seconds = device.wallSeconds - Int64(device.utcOffset.map { Int($0) } ?? offset) * 60
            time.clockCheck = ClockCheck(
                device: seconds * 1000, measured: measured.seconds * 1000, received: received, offset: offset)
        case .absent, .derived: break
        }
        return time
    }

    private mutating func setContent(_ content: Reading.Content) {
        type = content.type.description
        switch content {
        case .bloodPressure(let pressure):
            pressures.systolic = Self.pressure(pressure.systolic)
            pressures.diastolic = Self.pressure(pressure.diastolic)
            if let mean = pressure.mean { pressures.mean = Self.pressure(mean) }
            pressures.mean.absence = pressure.meanAbsence.word?.description
            pulse = pressure.pulse?.digits.text
        case .pulseRate(let rate): pulse = rate.digits.text
        case .quantity(let quantity):
            self.quantity.code = Nomenclature.name(partition: quantity.partition, term: quantity.term)?.description
            self.quantity.mdc = "\(quantity.mdc)"
            self.quantity.value = quantity.value?.text
            self.quantity.absence = quantity.absence.word?.description
            self.quantity.unit = Nomenclature.unit(quantity.unit)?.description
            if self.quantity.unit == nil { self.quantity.unitCode = quantity.unitCode.map { "\($0)" } }
        case .failure(let failure):
            self.failure = Failure(
                event: "failed", reason: failure.reason.word.description, code: failure.code.isEmpty ? nil : failure.code.description)
        }
    }

    private static func pressure(_ pressure: CuffCore.Pressure) -> Pressure {
        guard pressure.unit == .kPa else { return Pressure(mmHg: pressure.digits.text) }
        return Pressure(mmHg: TextBuffer.rounded(pressure.inMmHg), kPa: pressure.digits.text)
    }

    private static func text(_ milliseconds: Int64, offset: Int) -> String {
        TextBuffer.text { $0.append(local: Timestamp(milliseconds: milliseconds), offset: offset) }
    }
}

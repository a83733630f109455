import CuffCore

/// A reading in the words of the JSON vocabulary, numbers as the digits that were sent. FHIR, Open mHealth and InfluxDB are
/// written from it, whether the reading comes from a store or as a line of JSON.
public struct ExchangeReading: Sendable, Hashable {
    /// An instant.
    public struct Time: Sendable, Hashable {
        /// Since 1970-01-01T00:00:00Z.
        public var milliseconds: Int64
        /// RFC 3339 with seconds and offset.
        public var text: String

        /// Sets each property as given.
        public init(milliseconds: Int64, text: String) {
            self.milliseconds = milliseconds
            self.text = text
        }
    }

    /// One pressure: digits in mmHg, beside them those in kPa of a cuff that counts so, or why there is none.
    public struct Pressure: Sendable, Hashable {
        /// Digits in mmHg.
        public var mmHg: String?
        /// The digits of a cuff that sends kPa.
        public var kPa: String?
        /// The word of `Absence`.
        public var absence: String?

        /// Sets each property as given.
        public init(mmHg: String? = nil, kPa: String? = nil, absence: String? = nil) {
            self.mmHg = mmHg
            self.kPa = kPa
            self.absence = absence
        }
    }

    /// The cuff's clock against this computer's at one moment.
    public struct ClockCheck: Sendable, Hashable {
        /// What the cuff's clock said, with the offset of the zone; `nil` where it was not set.
        public var cuff: String?
        /// What this computer's clock said at that moment.
        public var host: String

        /// The clock was not set when the reading arrived (ms since 1970); `offset` in minutes east of UTC.
        public init(unsetAt received: Int64, offset: Int) { host = ExchangeReading.text(received, offset: offset) }

        /// `device` is the cuff's time of the reading read in the offset, `measured` the corrected one (ms since 1970): the cuff's
        /// clock was as far off when the reading arrived.
        public init(device: Int64, measured: Int64, received: Int64, offset: Int) {
            cuff = ExchangeReading.text(received + device - measured, offset: offset)
            host = ExchangeReading.text(received, offset: offset)
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
    /// `device`; `nil` where it is unknown.
    public var device: String?
    /// `user`.
    public var user: Int?
    /// `flags`.
    public var flags: [String] = []
    /// A person typed it in.
    public var isEntered = false
    /// The best known time of the measurement.
    public var time: Time?
    /// How the cuff's clock was found, where its time was corrected or not set.
    public var clockCheck: ClockCheck?
    /// The higher pressure.
    public var systolic = Pressure()
    /// The lower pressure.
    public var diastolic = Pressure()
    /// The mean pressure.
    public var mean = Pressure()
    /// Digits of `pulse_per_min`.
    public var pulse: String?
    /// `code` of a quantity: its name in the nomenclature.
    public var code: String?
    /// Digits of `mdc`.
    public var mdc: String?
    /// `value` of a quantity: digits.
    public var value: String?
    /// `value_absent`.
    public var valueAbsence: String?
    /// `unit` of a quantity.
    public var unit: String?
    /// Digits of `unit_mdc`.
    public var unitCode: String?
    /// `event` of a measurement that failed.
    public var event: String?
    /// `reason` of a measurement that failed.
    public var reason: String?
    /// `code` of a measurement that failed: the cuff's own.
    public var failureCode: String?

    /// What a person wrote beside it.
    public var note: String?
    /// What a person said of drugs.
    public var medication: String?
    /// `sitting`, `lying down`, `standing` or `semi-recumbent`, as a person said.
    public var posture: String?
    /// `left` or `right`, as a person said.
    public var arm: String?

    /// Its only time is its cuff's own, which names no zone: `time` is a reading of it in a zone that somebody chose.
    public var isFloating = false

    /// Everything is unknown.
    public init() {}

    /// Why the reading counts in no average; `nil` where its flags do not say so.
    public var exclusion: Exclusion? {
        InclusionRule(zone: .utc).reason(flags.reduce(into: MeasurementFlags()) { $0.formUnion(MeasurementFlags.named($1) ?? []) })
    }

    /// A person said something beside it.
    public var hasRemarks: Bool { note != nil || medication != nil || posture != nil || arm != nil }

    /// The same facts that `ReadingLine` prints. `zone` dates a reading whose only time is its cuff's own.
    public init(_ reading: Reading, from provenance: Provenance, zone: ZoneTable) {
        var text = TextBuffer(capacity: 40)
        text.append(reading.id)
        id = text.string
        revision = Int(reading.revision)
        isPending = reading.isPending
        driver = provenance.driver
        device = provenance.device.isEmpty ? nil : provenance.device
        user = reading.user.map { Int($0) }
        flags = MeasurementFlags.words.indices.filter { reading.flags.rawValue & (1 << UInt32($0)) != 0 }.map {
            MeasurementFlags.words[$0].description
        }
        isEntered = reading.origin == .entered
        isFloating = reading.isFloating
        note = reading.remarks?[.note]
        medication = reading.remarks?[.medication]
        posture = reading.remarks?[.posture]
        arm = reading.remarks?[.arm]
        setTime(reading, zone)
        setContent(reading.content)
    }

    private mutating func setTime(_ reading: Reading, _ zone: ZoneTable) {
        guard let best = reading.bestTime(in: zone) else { return }
        // Whole seconds, as the line has them: the same reading is the same point wherever it came from.
        let whole = Timestamp(seconds: best.seconds)
        let offset: Int
        if reading.measured != nil {
            offset = Int(reading.measuredOffset)
        } else {
            offset = reading.clock.time?.utcOffset.map { Int($0) } ?? zone.offset(at: whole.seconds) / 60
        }
        time = Time(milliseconds: whole.milliseconds, text: Self.text(whole.milliseconds, offset: offset))
        guard let received = reading.received?.milliseconds else { return }
        switch reading.clock {
        case .unset, .impossible: clockCheck = ClockCheck(unsetAt: received, offset: offset)
        case .time(let device):
            guard reading.rule == .corrected, let measured = reading.measured else { return }
            let seconds = device.wallSeconds - Int64(device.utcOffset.map { Int($0) } ?? offset) * 60
            clockCheck = ClockCheck(
                device: seconds * 1000, measured: measured.seconds * 1000, received: received, offset: offset)
        case .absent, .derived: break
        }
    }

    private mutating func setContent(_ content: Reading.Content) {
        switch content {
        case .bloodPressure(let pressure):
            type = "blood_pressure"
            systolic = Self.pressure(pressure.systolic)
            diastolic = Self.pressure(pressure.diastolic)
            if let mean = pressure.mean { self.mean = Self.pressure(mean) }
            mean.absence = pressure.meanAbsence.word?.description
            pulse = pressure.pulse.map { Self.text($0.digits) }
        case .pulseRate(let rate):
            type = "pulse_rate"
            pulse = Self.text(rate.digits)
        case .quantity(let quantity):
            type = "quantity"
            code = Nomenclature.name(partition: quantity.partition, term: quantity.term)?.description
            mdc = "\(quantity.mdc)"
            value = quantity.value.map(Self.text)
            valueAbsence = quantity.absence.word?.description
            unit = Nomenclature.unit(quantity.unit)?.description
            if unit == nil { unitCode = quantity.unitCode.map { "\($0)" } }
        case .failure(let failure):
            type = "measurement"
            event = "failed"
            reason = failure.reason.word.description
            if !failure.code.isEmpty { failureCode = failure.code.description }
        }
    }

    private static func pressure(_ pressure: CuffCore.Pressure) -> Pressure {
        guard pressure.unit == .kPa else { return Pressure(mmHg: text(pressure.digits)) }
        var converted = TextBuffer(capacity: 24)
        converted.append(rounded: pressure.inMmHg)
        return Pressure(mmHg: converted.string, kPa: text(pressure.digits))
    }

    private static func text(_ digits: Digits) -> String {
        var text = TextBuffer(capacity: 34)
        text.append(digits)
        return text.string
    }

    private static func text(_ milliseconds: Int64, offset: Int) -> String {
        var text = TextBuffer(capacity: 40)
        text.append(local: Timestamp(milliseconds: milliseconds), offset: offset)
        return text.string
    }
}

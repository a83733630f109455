/// The JSON vocabulary: the one contract with people who pipe readings into other programs. Keys are `quantity_unit`,
/// additive only; an absent key means unknown.
public struct ReadingLine: Sendable {
    /// Print the record's bytes as hex under `raw`.
    public var includesRaw: Bool

    public init(includesRaw: Bool = false) { self.includesRaw = includesRaw }

    /// No line is longer, but for the device's name and the raw bytes: 22 flags are 400 bytes, a quantity or three
    /// pressures in two units another 400, keys and times the rest; and text of which every character is escaped.
    static let longest = 2048 + 6 * Reading.longestText

    /// Appends whole lines, one for each entry. `device` is the identity of the cuff; empty when it is unknown.
    public func append(_ entries: Entries, device: String, to text: inout TextBuffer) {
        append(entries, entries.indices, device: device, to: &text)
    }

    /// The lines of some of the entries, for those who write in pieces.
    public func append(_ entries: Entries, _ range: Range<Int>, device: String, to text: inout TextBuffer) {
        entries.visit(
            range, readings: { append($0, device: device, to: &text) },
            live: { append($0, device: device, to: &text) })
    }

    /// Appends one whole line.
    public func append(_ entry: Entry, device: String, to text: inout TextBuffer) {
        switch entry {
        case .reading(let reading): append(reading, device: device, to: &text)
        case .live(let event, let driver, let elapsed): append(event, driver, elapsed, device: device, to: &text)
        }
    }

    public func append(_ reading: Reading, device: String, to text: inout TextBuffer) {
        withUnsafePointer(to: reading) {
            append(UnsafeBufferPointer(start: $0, count: 1), device: device, to: &text)
        }
    }

    /// By pointer, so that of each reading only what is printed is loaded.
    private func append(_ readings: UnsafeBufferPointer<Reading>, device: String, to text: inout TextBuffer) {
        guard var reading = readings.baseAddress else { return }
        let end = reading + readings.count
        let most = Self.longest + 6 * device.utf8.count
        // Readings come from one cuff as a rule: what names it is written once and copied into every line.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most) { room in
            guard let name = room.baseAddress else { return }
            // `Pen.put(frontOf:)` takes 64 bytes of it, whatever is written there.
            name.initialize(repeating: 0, count: 64)
            while reading < end {
                let driver = reading.pointee.driver
                var pen = Pen(at: name)
                pen.put("\",\"driver\":\"")
                pen.put(word: driver)
                putDevice(device, &pen)
                let length = pen.position - name
                repeat {
                    if includesRaw { text.reserve(most + 2 * reading.pointee.raw.count) }
                    var pen = text.pen(atMost: most)
                    put(reading, name, length, &pen)
                    text.take(pen)
                    reading += 1
                } while reading < end && reading.pointee.driver.isIdentical(to: driver)
            }
        }
    }

    private func append(
        _ event: LiveEvent, _ driver: DriverID, _ elapsed: Duration?, device: String, to text: inout TextBuffer
    ) {
        var pen = text.pen(atMost: Self.longest + 6 * device.utf8.count)
        put(event, driver, elapsed, device: device, &pen)
        text.take(pen)
    }

    /// `name` and `length` are what stands behind the id in every line of this cuff: the driver and the device.
    @inline(__always)
    private func put(_ reading: UnsafePointer<Reading>, _ name: UnsafePointer<UInt8>, _ length: Int, _ pen: inout Pen) {
        putHead(reading, &pen)
        pen.put(reading.pointee.id)
        pen.put(frontOf: name, length)
        putContent(reading.pointee.content, &pen)
        if let words = reading.pointee.text { pen.seldom { put(text: words, &$0) } }
        pen.seldom { putContext(reading, &$0) }
        if includesRaw { pen.seldom { put(reading.pointee.raw, &$0) } }
        pen.put("}\n")
    }

    @inline(never)
    private func put(text: String, _ pen: inout Pen) {
        pen.put(",\"text\":")
        pen.put(jsonString: String(decoding: text.utf8.prefix(Reading.longestText), as: UTF8.self))
    }

    @inline(never)
    private func put(_ raw: RawBytes, _ pen: inout Pen) {
        pen.put(",\"raw\":\"")
        raw.withBytes { pen.put(hexOf: $0) }
        pen.put(0x22)
    }

    /// Up to where the id begins. Text of known length is a few moves, so the usual heads are spelled out.
    @inline(__always)
    private func putHead(_ reading: UnsafePointer<Reading>, _ pen: inout Pen) {
        // A pending reading is not yet what its type promises: a line of its own type keeps `select(.type==…)` honest.
        if reading.pointee.isPending { return pen.seldom { putPendingHead(reading.pointee.content, &$0) } }
        switch reading.pointee.content {
        case .bloodPressure: pen.put("{\"type\":\"blood_pressure\",\"schema\":1,\"id\":\"")
        case .pulseRate: pen.put("{\"type\":\"pulse_rate\",\"schema\":1,\"id\":\"")
        case .quantity: pen.put("{\"type\":\"quantity\",\"schema\":1,\"id\":\"")
        case .failure: pen.put("{\"type\":\"measurement\",\"schema\":1,\"id\":\"")
        }
    }

    @inline(never)
    private func putPendingHead(_ content: Reading.Content, _ pen: inout Pen) {
        pen.put("{\"type\":\"pending\",\"of\":\"")
        switch content {
        case .bloodPressure: pen.put("blood_pressure")
        case .pulseRate: pen.put("pulse_rate")
        case .quantity: pen.put("quantity")
        case .failure: pen.put("measurement")
        }
        pen.put("\",\"schema\":1,\"id\":\"")
    }

    @inline(__always)
    private func putDevice(_ device: String, _ pen: inout Pen) {
        pen.put(0x22)
        guard !device.isEmpty else { return }
        pen.put(",\"device\":")
        pen.put(jsonString: device)
    }

    @inline(__always)
    private func putContent(_ content: Reading.Content, _ pen: inout Pen) {
        switch content {
        case .bloodPressure(let pressure): put(pressure, &pen)
        case .pulseRate(let pulse):
            pen.put(",\"pulse_per_min\":")
            pen.put(pulse.digits)
        case .quantity(let quantity): pen.seldom { put(quantity, &$0) }
        case .failure(let failure): pen.seldom { put(failure, &$0) }
        }
    }

    @inline(__always)
    private func put(_ pressure: BloodPressure, _ pen: inout Pen) {
        put(pressure.systolic, kPa: ",\"systolic_kPa\":", mmHg: ",\"systolic_mmHg\":", &pen)
        put(pressure.diastolic, kPa: ",\"diastolic_kPa\":", mmHg: ",\"diastolic_mmHg\":", &pen)
        if let mean = pressure.mean { put(mean, kPa: ",\"mean_kPa\":", mmHg: ",\"mean_mmHg\":", &pen) }
        if pressure.meanAbsence != .none, let word = pressure.meanAbsence.word { put(word, ",\"mean_absent\":\"", &pen) }
        if let pulse = pressure.pulse {
            pen.put(",\"pulse_per_min\":")
            pen.put(pulse.digits)
        }
        if pressure.pulseAbsence != .none, let word = pressure.pulseAbsence.word { put(word, ",\"pulse_absent\":\"", &pen) }
    }

    @inline(never)
    private func put(_ failure: Failure, _ pen: inout Pen) {
        pen.put(",\"event\":\"failed\"")
        put(failure.reason.word, ",\"reason\":\"", &pen)
        if !failure.code.isEmpty {
            pen.put(",\"code\":")
            pen.put(jsonString: failure.code)
        }
    }

    @inline(never)
    private func put(_ quantity: Quantity, _ pen: inout Pen) {
        if let name = Nomenclature.name(partition: quantity.partition, term: quantity.term) {
            put(name, ",\"code\":\"", &pen)
        }
        pen.put(",\"mdc\":")
        pen.put(decimal: Int64(quantity.mdc))
        if quantity.component > 0 {
            pen.put(",\"component\":")
            pen.put(decimal: Int64(quantity.component))
        }
        if let value = quantity.value {
            pen.put(",\"value\":\"")
            pen.put(value)
            pen.put(0x22)
        }
        if let bits = quantity.bits {
            pen.put(",\"bits\":")
            pen.put(decimal: Int64(bits))
        }
        if let word = quantity.absence.word { put(word, ",\"value_absent\":\"", &pen) }
        guard quantity.unit != 0 else { return }
        if let unit = Nomenclature.unit(quantity.unit) {
            put(unit, ",\"unit\":\"", &pen)
        } else {
            pen.put(",\"unit_mdc\":")
            pen.put(decimal: Int64(quantity.unit) + 4 * 65536)
        }
    }

    @inline(__always)
    private func putContext(_ reading: UnsafePointer<Reading>, _ pen: inout Pen) {
        if let user = reading.pointee.user {
            pen.put(",\"user\":")
            pen.put(decimal: Int64(user))
        }
        put(reading.pointee.flags, &pen)
        switch reading.pointee.clock {
        case .time(let time):
            pen.put(",\"device_time\":\"")
            pen.put(time)
            pen.put(0x22)
        case .impossible(let time?):
            pen.put(",\"device_time_text\":\"")
            pen.put(time)
            pen.put(0x22)
        case .absent, .unset, .impossible(nil): break
        }
        if let measured = reading.pointee.measured {
            pen.put(",\"measured\":\"")
            pen.seldom { $0.put(local: measured, offset: Int(reading.pointee.measuredOffset)) }
            pen.put(0x22)
        }
        // The rule behind `measured`; a clock that was never set, or is impossible, is always named.
        switch reading.pointee.clock {
        case .unset, .impossible: pen.put(",\"clock\":\"unset\"")
        case .absent, .time: if reading.pointee.rule != .none, let word = reading.pointee.rule.word { put(word, ",\"clock\":\"", &pen) }
        }
        if let received = reading.pointee.received {
            pen.put(",\"received\":\"")
            pen.seldom { $0.put(utc: received) }
            pen.put(0x22)
        }
        if reading.pointee.isHostClockUnsynchronised { pen.put(",\"host_clock\":\"unsynchronised\"") }
        put(reading.pointee.origin, &pen)
        if let word = reading.pointee.trigger.word { put(word, ",\"trigger\":\"", &pen) }
        if let sequence = reading.pointee.sequence {
            pen.put(",\"sequence\":")
            pen.put(decimal: Int64(sequence))
        }
        if reading.pointee.revision > 0 {
            pen.put(",\"revision\":")
            pen.put(decimal: Int64(reading.pointee.revision))
        }
    }

    /// `Reading.Origin.word`, spelled out with its key: text of known length is a few moves, and every line has one.
    @inline(__always)
    private func put(_ origin: Reading.Origin, _ pen: inout Pen) {
        switch origin {
        case .memory: pen.put(",\"origin\":\"memory\"")
        case .push: pen.put(",\"origin\":\"push\"")
        case .measurement: pen.put(",\"origin\":\"measurement\"")
        case .entered: pen.put(",\"origin\":\"entered\"")
        }
    }

    @inline(__always)
    private func put(_ flags: MeasurementFlags, _ pen: inout Pen) {
        if !flags.isEmpty { pen.seldom { putWords(flags, &$0) } }
    }

    @inline(never)
    private func putWords(_ flags: MeasurementFlags, _ pen: inout Pen) {
        pen.put(",\"flags\":[")
        var isFirst = true
        var rest = flags.rawValue
        while rest != 0 {
            let bit = rest.trailingZeroBitCount
            rest &= rest &- 1
            guard bit < MeasurementFlags.words.count else { break }
            pen.put(isFirst ? "\"" : ",\"")
            pen.put(MeasurementFlags.words[bit])
            pen.put(0x22)
            isFirst = false
        }
        pen.put(0x5D)
    }

    @inline(never)
    private func put(
        _ event: LiveEvent, _ driver: DriverID, _ elapsed: Duration?, device: String, _ pen: inout Pen
    ) {
        switch event {
        case .cuffPressure: pen.put("{\"type\":\"cuff_pressure\",\"schema\":1,\"driver\":\"")
        case .beat: pen.put("{\"type\":\"beat\",\"schema\":1,\"driver\":\"")
        case .oscillation: pen.put("{\"type\":\"oscillation\",\"schema\":1,\"driver\":\"")
        default: pen.put("{\"type\":\"measurement\",\"schema\":1,\"driver\":\"")
        }
        pen.put(word: driver)
        putDevice(device, &pen)
        if let elapsed {
            pen.put(",\"elapsed_s\":")
            let parts = elapsed.components
            pen.put(rounded: Double(parts.seconds) + Double(parts.attoseconds) / 1e18)
        }
        switch event {
        case .cuffPressure(let pressure): put(pressure, kPa: ",\"pressure_kPa\":", mmHg: ",\"pressure_mmHg\":", &pen)
        case .beat(let pressure, let interval):
            put(pressure, &pen)
            pen.put(",\"interval_ms\":")
            pen.put(decimal: Int64(interval))
        case .oscillation(let pressure, let amplitude):
            put(pressure, kPa: ",\"pressure_kPa\":", mmHg: ",\"pressure_mmHg\":", &pen)
            pen.put(",\"amplitude\":")
            pen.put(decimal: Int64(amplitude))
        case .started: pen.put(",\"event\":\"started\"")
        case .ended: pen.put(",\"event\":\"ended\"")
        case .aborted: pen.put(",\"event\":\"aborted\"")
        case .recovered(let former):
            pen.put(",\"event\":\"aborted\",\"recovered\":true,\"begun\":\"")
            pen.seldom { $0.put(utc: former.begun) }
            pen.put(0x22)
            if let process = former.process {
                pen.put(",\"process\":")
                pen.put(decimal: Int64(process))
            }
        case .failed(let failure): put(failure, &pen)
        }
        pen.put("}\n")
    }

    @inline(__always)
    private func put(_ pressure: Pressure, kPa: StaticString, mmHg: StaticString, _ pen: inout Pen) {
        if pressure.unit == .mmHg {
            pen.put(mmHg)
            pen.put(pressure.digits)
        } else {
            pen.put(kPa)
            pen.put(pressure.digits)
            pen.put(mmHg)
            pen.seldom { $0.put(rounded: pressure.inMmHg) }
        }
    }

    /// `key` stands with its comma, quotes, colon and the word's first quote.
    @inline(__always)
    private func put(_ word: StaticString, _ key: StaticString, _ pen: inout Pen) {
        pen.put(key)
        pen.put(word)
        pen.put(0x22)
    }
}

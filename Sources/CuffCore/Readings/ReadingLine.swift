/// Prints JSON lines for programs that read a pipe. Keys are `quantity_unit`, additive only; an absent key means unknown.
public struct ReadingLine: Sendable {
    /// Print the record's bytes as hexadecimal `raw`.
    public var includesRaw: Bool

    /// By default without `raw`.
    public init(includesRaw: Bool = false) { self.includesRaw = includesRaw }

    /// Limit of a line without device name, person, remarks and raw bytes: 22 flags are 400 bytes, a quantity or three pressures in two units
    /// another 400, keys and times the rest; all text escaped.
    static let longest = 2048 + 6 * Reading.longestText

    /// Appends one line per entry. `device` is the cuff's identity; empty if unknown.
    public func append(_ entries: BatchEntries, device: String, to text: inout TextBuffer) {
        append(entries, entries.indices, device: device, to: &text)
    }

    /// Appends the lines of a range of entries.
    public func append(_ entries: BatchEntries, _ range: Range<Int>, device: String, to text: inout TextBuffer) {
        entries.visit(
            range, readings: { append($0, device: device, to: &text) },
            live: { append($0, device: device, to: &text) })
    }

    /// Appends one line.
    public func append(_ entry: BatchEntry, device: String, to text: inout TextBuffer) {
        switch entry {
        case .reading(let reading): append(reading, device: device, to: &text)
        case .live(.alert(let alert), let driver, _): append(alert, driver, device: device, to: &text)
        case .live(let event, let driver, let elapsed): append(event, driver, elapsed, device: device, to: &text)
        }
    }

    /// Appends the line of one reading with its line feed.
    public func append(_ reading: Reading, device: String, to text: inout TextBuffer) {
        withUnsafePointer(to: reading) {
            append(UnsafeBufferPointer(start: $0, count: 1), device: device, to: &text)
        }
    }

    /// By pointer, so that only printed fields are loaded.
    private func append(_ readings: UnsafeBufferPointer<Reading>, device: String, to text: inout TextBuffer) {
        guard var reading = readings.baseAddress else { return }
        let end = reading + readings.count
        let most = Self.longest + 6 * device.utf8.count
        // Readings usually come from one cuff: the text that names it is built once and copied.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most) { room in
            guard let name = room.baseAddress else { return }
            // `ByteWriter.put(frontOf:)` reads 64 bytes.
            name.initialize(repeating: 0, count: 64)
            while reading < end {
                let driver = reading.pointee.driver
                var writer = ByteWriter(at: name)
                writer.put("\",\"driver\":\"")
                writer.put(word: driver)
                putDevice(device, &writer)
                let length = writer.position - name
                repeat {
                    if includesRaw { text.reserve(most + 2 * reading.pointee.raw.count) }
                    var additional = Self.printed(reading.pointee.decoder)
                    if !reading.pointee.additions.isEmpty { additional += Self.longest(reading.pointee.additions) }
                    var writer = text.writer(atMost: most + additional)
                    put(reading, name, length, &writer)
                    text.take(writer)
                    reading += 1
                } while reading < end && reading.pointee.driver.isIdentical(to: driver)
            }
        }
    }

    /// The longest that an optional text with its key may become.
    @inline(__always)
    static func printed(_ text: String?) -> Int { (text?.utf8.count).map { 6 * $0 + 16 } ?? 0 }

    private func append(
        _ event: LiveEvent, _ driver: DriverID, _ elapsed: Duration?, device: String, to text: inout TextBuffer
    ) {
        var writer = text.writer(atMost: Self.longest + 6 * device.utf8.count)
        put(event, driver, elapsed, device: device, &writer)
        text.take(writer)
    }

    /// `name` and `length`: the text after the id, with driver and device.
    @inline(__always)
    private func put(_ reading: UnsafePointer<Reading>, _ name: UnsafePointer<UInt8>, _ length: Int, _ writer: inout ByteWriter) {
        putHead(reading, &writer)
        writer.put(reading.pointee.id)
        writer.put(frontOf: name, length)
        putContent(reading.pointee.content, &writer)
        let hasAdditions = !reading.pointee.additions.isEmpty
        if hasAdditions, let words = reading.pointee.text {
            writer.seldom { $0.put(",\"text\":", json: String(decoding: words.utf8.prefix(Reading.longestText), as: UTF8.self)) }
        }
        writer = context(of: reading, behind: writer)
        if let duration = reading.pointee.duration {
            writer.put(",\"duration_s\":")
            writer.put(decimal: duration.components.seconds)
        }
        if let decoder = reading.pointee.decoder { writer.seldom { $0.put(",\"decoder\":", json: decoder) } }
        if hasAdditions { writer.seldom { put(reading.pointee.additions, &$0) } }
        if includesRaw { writer.seldom { put(reading.pointee.raw, &$0) } }
        writer.put("}\n")
    }

    @inline(never)
    private func put(_ raw: RawBytes, _ writer: inout ByteWriter) {
        writer.put(",\"raw\":\"")
        raw.withBytes { writer.put(hexOf: $0) }
        writer.put(0x22)
    }

    /// Writes up to the id. The usual heads are literals, because text of constant length compiles to a few moves.
    @inline(__always)
    private func putHead(_ reading: UnsafePointer<Reading>, _ writer: inout ByteWriter) {
        // A pending reading is incomplete: its own type excludes it from `select(.type=="blood_pressure")`.
        if reading.pointee.isPending { return writer.seldom { putPendingHead(reading.pointee.content, &$0) } }
        switch reading.pointee.content {
        case .bloodPressure: writer.put("{\"type\":\"blood_pressure\",\"schema\":1,\"id\":\"")
        case .pulseRate: writer.put("{\"type\":\"pulse_rate\",\"schema\":1,\"id\":\"")
        case .quantity: writer.put("{\"type\":\"quantity\",\"schema\":1,\"id\":\"")
        case .failure(let failure) where failure.reason == .withdrawn:
            writer.put("{\"type\":\"deleted\",\"of\":\"blood_pressure\",\"schema\":1,\"id\":\"")
        case .failure: writer.put("{\"type\":\"measurement\",\"schema\":1,\"id\":\"")
        }
    }

    @inline(never)
    private func putPendingHead(_ content: Reading.Content, _ writer: inout ByteWriter) {
        writer.put("{\"type\":\"pending\",\"of\":\"")
        writer.put(content.type)
        writer.put("\",\"schema\":1,\"id\":\"")
    }

    @inline(__always)
    func putDevice(_ device: String, _ writer: inout ByteWriter) {
        writer.put(0x22)
        guard !device.isEmpty else { return }
        writer.put(",\"device\":")
        writer.put(jsonString: device)
    }

    @inline(__always)
    private func putContent(_ content: Reading.Content, _ writer: inout ByteWriter) {
        switch content {
        case .bloodPressure(let pressure): put(pressure, &writer)
        case .pulseRate(let pulse):
            writer.put(",\"pulse_per_min\":")
            writer.put(pulse.digits)
        case .quantity(let quantity): writer.seldom { put(quantity, &$0) }
        case .failure(let failure): writer.seldom { put(failure, &$0) }
        }
    }

    @inline(__always)
    func put(_ pressure: BloodPressure, _ writer: inout ByteWriter) {
        put(pressure.systolic, kPa: ",\"systolic_kPa\":", mmHg: ",\"systolic_mmHg\":", &writer)
        put(pressure.diastolic, kPa: ",\"diastolic_kPa\":", mmHg: ",\"diastolic_mmHg\":", &writer)
        if let mean = pressure.mean { put(mean, kPa: ",\"mean_kPa\":", mmHg: ",\"mean_mmHg\":", &writer) }
        if pressure.meanAbsence != .none, let word = pressure.meanAbsence.word { put(word, ",\"mean_absent\":\"", &writer) }
        if let pulse = pressure.pulse {
            writer.put(",\"pulse_per_min\":")
            writer.put(pulse.digits)
        }
        if pressure.pulseAbsence != .none, let word = pressure.pulseAbsence.word { put(word, ",\"pulse_absent\":\"", &writer) }
    }

    @inline(never)
    private func put(_ failure: MeasurementFailure, _ writer: inout ByteWriter) {
        if failure.reason != .withdrawn { writer.put(",\"event\":\"failed\"") }
        put(failure.reason.word, ",\"reason\":\"", &writer)
        if !failure.code.isEmpty {
            writer.put(",\"code\":")
            writer.put(jsonString: failure.code)
        }
    }

    @inline(never)
    private func put(_ quantity: Quantity, _ writer: inout ByteWriter) {
        if let name = Nomenclature.name(partition: quantity.partition, term: quantity.term) {
            put(name, ",\"code\":\"", &writer)
        }
        writer.put(",\"mdc\":", decimal: Int64(quantity.mdc))
        if quantity.component > 0 { writer.put(",\"component\":", decimal: Int64(quantity.component)) }
        if let value = quantity.value {
            writer.put(",\"value\":\"")
            writer.put(value)
            writer.put(0x22)
        }
        if let bits = quantity.bits { writer.put(",\"bits\":", decimal: Int64(bits)) }
        if let word = quantity.absence.word { put(word, ",\"value_absent\":\"", &writer) }
        guard quantity.unit != 0 else { return }
        if let unit = Nomenclature.unit(quantity.unit) {
            put(unit, ",\"unit\":\"", &writer)
        } else {
            writer.put(",\"unit_mdc\":", decimal: Int64(quantity.unit) + 4 * 65536)
        }
    }

    /// By value, so that the position stays in a register.
    private func context(of reading: UnsafePointer<Reading>, behind writer: ByteWriter) -> ByteWriter {
        var writer = writer
        if let user = reading.pointee.user {
            writer.put(",\"user\":")
            writer.put(decimal: Int64(user))
        }
        put(reading.pointee.flags, &writer)
        switch reading.pointee.clock {
        case .time(let time), .derived(let time):
            writer.put(",\"device_time\":\"")
            writer.put(time)
            writer.put(0x22)
        case .impossible(let time?):
            writer.put(",\"device_time_text\":\"")
            writer.put(time)
            writer.put(0x22)
        case .absent, .unset, .impossible(nil): break
        }
        if let measured = reading.pointee.measured {
            writer.put(",\"measured\":\"")
            writer.seldom { $0.put(local: measured, offset: Int(reading.pointee.measuredOffset)) }
            writer.put(0x22)
        }
        // The rule of `measured`; an unset or impossible clock is always named.
        switch reading.pointee.clock {
        case .unset, .impossible: writer.put(",\"clock\":\"unset\"")
        case .absent, .time, .derived:
            if reading.pointee.rule != .none, let word = reading.pointee.rule.word { put(word, ",\"clock\":\"", &writer) }
        }
        if let received = reading.pointee.received {
            writer.put(",\"received\":\"")
            writer.seldom { $0.put(utc: received) }
            writer.put(0x22)
        }
        if reading.pointee.isHostClockUnsynchronised { writer.put(",\"host_clock\":\"unsynchronised\"") }
        put(reading.pointee.origin, &writer)
        if let word = reading.pointee.trigger.word { put(word, ",\"trigger\":\"", &writer) }
        if let sequence = reading.pointee.sequence {
            writer.put(",\"sequence\":")
            writer.put(decimal: Int64(sequence))
        }
        if reading.pointee.revision > 0 {
            writer.put(",\"revision\":")
            writer.put(decimal: Int64(reading.pointee.revision))
        }
        return writer
    }

    /// `Reading.Origin.word` with its key, as literals of constant length.
    @inline(__always)
    private func put(_ origin: Reading.Origin, _ writer: inout ByteWriter) {
        switch origin {
        case .memory: writer.put(",\"origin\":\"memory\"")
        case .push: writer.put(",\"origin\":\"push\"")
        case .measurement: writer.put(",\"origin\":\"measurement\"")
        case .entered: writer.put(",\"origin\":\"entered\"")
        case .imported: writer.put(",\"origin\":\"import\"")
        }
    }

    @inline(__always)
    private func put(_ flags: MeasurementFlags, _ writer: inout ByteWriter) {
        if !flags.isEmpty { writer.seldom { putWords(flags, &$0) } }
    }

    @inline(never)
    private func putWords(_ flags: MeasurementFlags, _ writer: inout ByteWriter) {
        writer.put(",\"flags\":[")
        var isFirst = true
        var rest = flags.rawValue
        while rest != 0 {
            let bit = rest.trailingZeroBitCount
            rest &= rest &- 1
            guard bit < MeasurementFlags.words.count else { break }
            writer.put(isFirst ? "\"" : ",\"")
            writer.put(MeasurementFlags.words[bit])
            writer.put(0x22)
            isFirst = false
        }
        writer.put(0x5D)
    }

    @inline(never)
    private func put(
        _ event: LiveEvent, _ driver: DriverID, _ elapsed: Duration?, device: String, _ writer: inout ByteWriter
    ) {
        switch event {
        case .cuffPressure: writer.put("{\"type\":\"cuff_pressure\",\"schema\":1,\"driver\":\"")
        case .beat: writer.put("{\"type\":\"beat\",\"schema\":1,\"driver\":\"")
        case .oscillation: writer.put("{\"type\":\"oscillation\",\"schema\":1,\"driver\":\"")
        case .waveform: writer.put("{\"type\":\"waveform\",\"schema\":1,\"driver\":\"")
        default: writer.put("{\"type\":\"measurement\",\"schema\":1,\"driver\":\"")
        }
        writer.put(word: driver)
        putDevice(device, &writer)
        if let elapsed {
            writer.put(",\"elapsed_s\":")
            let parts = elapsed.components
            writer.put(rounded: Double(parts.seconds) + Double(parts.attoseconds) / 1e18)
        }
        switch event {
        case .cuffPressure(let pressure): put(pressure, kPa: ",\"pressure_kPa\":", mmHg: ",\"pressure_mmHg\":", &writer)
        case .beat(let pressure, let interval, let isAfterGap):
            put(pressure, &writer)
            writer.put(",\"interval_ms\":")
            writer.put(decimal: Int64(interval))
            if isAfterGap { writer.put(",\"preceded_by_gap\":true") }
        case .oscillation(let pressure, let amplitude):
            put(pressure, kPa: ",\"pressure_kPa\":", mmHg: ",\"pressure_mmHg\":", &writer)
            writer.put(",\"amplitude\":")
            writer.put(decimal: Int64(amplitude))
        case .waveform(let waveform): writer.seldom { $0.put(waveform) }
        case .started: writer.put(",\"event\":\"started\"")
        case .ended: writer.put(",\"event\":\"ended\"")
        case .aborted: writer.put(",\"event\":\"aborted\"")
        case .recovered(let former):
            writer.put(",\"event\":\"aborted\",\"recovered\":true,\"begun\":\"")
            writer.seldom { $0.put(utc: former.begun) }
            writer.put(0x22)
            if let process = former.process { writer.put(",\"process\":", decimal: Int64(process)) }
        case .failed(let failure): put(failure, &writer)
        // Has its own line.
        case .alert: break
        }
        writer.put("}\n")
    }

    @inline(__always)
    private func put(_ pressure: Pressure, kPa: StaticString, mmHg: StaticString, _ writer: inout ByteWriter) {
        if pressure.unit == .mmHg {
            writer.put(mmHg)
            writer.put(pressure.digits)
        } else {
            writer.put(kPa)
            writer.put(pressure.digits)
            writer.put(mmHg)
            writer.seldom { $0.put(rounded: pressure.inMmHg) }
        }
    }

    /// `key` includes comma, quotes, colon and the word's first quote.
    @inline(__always)
    private func put(_ word: StaticString, _ key: StaticString, _ writer: inout ByteWriter) {
        writer.put(key)
        writer.put(word)
        writer.put(0x22)
    }
}

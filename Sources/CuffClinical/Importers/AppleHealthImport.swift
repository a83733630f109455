import CuffCore

// Source: HealthKit export, version 13, as its DTD and several readers have it (A). Pressures are Records, and again
// inside a Correlation; correlations are read first, then the remaining Records are paired by source and start.

extension Importer {
    /// Apple's `export.xml`, in its ZIP file or alone, also as `cuff` writes it.
    static let appleHealth = Importer(
        driver: "import-apple-health", program: "Apple Health", help: "export.xml of Apple Health, or the whole ZIP file",
        sign: "XML with the root HealthData", form: .bytes { (options, _) throws(ImportFault) in AppleHealthImport(options.zoneNamed) },
        recognise: { head in
            let text = String(decoding: head.prefix(Importer.headLength), as: UTF8.self)
            return text.hasPrefix("<") && text.contains("<HealthData") && !text.contains("<ClinicalDocument")
        })
}

/// Two passes: the first finds the blood pressures, the second the heart rates of their minutes.
struct AppleHealthImport: ImportReader {
    /// One pressure outside of a correlation.
    private struct Part {
        var key: UInt64
        var value: Pressure
        var record: Int
        var moment: Moment
        var name: Name
    }
    struct Moment: Hashable {
        var source: UInt64
        var seconds: Int64
        var offset: Int16
    }
    /// What the metadata say.
    struct Name {
        var key: UInt64?
        var id: Reading.ID?
        var version: Int32 = 0
        var isEntered = false
        var own = AppleOwnMetadata()
    }
    private struct Found {
        var moment: Moment
        var systolic: Pressure
        var diastolic: Pressure
        var record: Int
        var name: Name
        var pulse: PulseRate?
        var pulseDistance = Int64.max
        /// The next one of the same moment, then of the same minute, and source.
        var next: Int32 = -1
        /// Others have the same moment: values typed in have no seconds.
        var isOneOfSeveral = false
    }

    let passes = 2
    /// 27 readings a day for thirty years; 60 MB hold them.
    static let most = 300_000
    private var scanner = XMLScanner()
    private var elements: AppleElements
    private var found: [Found] = []
    private var parts: (systolic: [Part], diastolic: [Part]) = ([], [])
    private var sources: Set<UInt64> = []
    private var minutes: [UInt64: Int32] = [:]
    private var isFirstPass = true

    init(_ zoneNamed: @escaping @Sendable (String) -> ZoneTable?) { elements = AppleElements(zoneNamed: zoneNamed) }

    mutating func read(_ bytes: Span<UInt8>, _ output: inout ImportOutput) throws(ImportFault) {
        // A struct cannot lend itself to a closure that changes it.
        var scanner = XMLScanner()
        swap(&scanner, &self.scanner)
        defer { swap(&scanner, &self.scanner) }
        try scanner.read(bytes) { (token, bytes) throws(ImportFault) in try take(token, bytes, &output) }
        guard found.count + parts.systolic.count + parts.diastolic.count <= 3 * Self.most else {
            throw .tooMany(what: "blood pressures", limit: Self.most)
        }
    }

    private mutating func take(_ token: XMLScanner.Token, _ bytes: Span<UInt8>, _ output: inout ImportOutput) throws(ImportFault) {
        guard let event = elements.take(token, bytes, onlyHeartRates: !isFirstPass ? sources : nil) else { return }
        switch event {
        case .refused(let record, let reason): output.refuse(ImportPlace(.record, record), reason)
        case .correlation(let moment, let systolic, let diastolic, let record, let name):
            found.append(Found(moment: moment, systolic: systolic, diastolic: diastolic, record: record, name: name))
        case .pressure(let moment, let value, let isSystolic, let record, let name):
            let part = Part(key: Self.key(moment), value: value, record: record, moment: moment, name: name)
            if isSystolic { parts.systolic.append(part) } else { parts.diastolic.append(part) }
        case .heartRate(let moment, let rate): add(rate, moment)
        }
    }

    mutating func endPass(_ output: inout ImportOutput) throws(ImportFault) {
        let isWhole = elements.hasEnded && scanner.isAtEnd
        (scanner, elements) = (XMLScanner(), AppleElements(zoneNamed: elements.zoneNamed))
        guard isWhole else { throw .damaged("it ends before </HealthData>") }
        if isFirstPass {
            pair(&output)
            for index in found.indices {
                sources.insert(found[index].moment.source)
                let key = Self.minute(found[index].moment)
                found[index].next = minutes[key] ?? -1
                minutes[key] = Int32(index)
            }
            isFirstPass = false
            return
        }
        for one in found { output.add(Self.reading(one)) }
        found = []
    }

    private static func key(_ moment: Moment) -> UInt64 { moment.source &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: moment.seconds) }
    private static func minute(_ moment: Moment) -> UInt64 {
        moment.source &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: WallTime.floor(moment.seconds, 60))
    }

    private mutating func add(_ rate: PulseRate, _ moment: Moment) {
        var index = minutes[Self.minute(moment)] ?? -1
        while index >= 0 {
            let distance = Int64((found[Int(index)].moment.seconds - moment.seconds).magnitude)
            if distance < found[Int(index)].pulseDistance {
                (found[Int(index)].pulse, found[Int(index)].pulseDistance) = (rate, distance)
            }
            index = found[Int(index)].next
        }
    }

    /// Pairs what no correlation holds. A record that differs from its correlation shows that one of them is damaged.
    private mutating func pair(_ output: inout ImportOutput) {
        var correlations: [UInt64: Int32] = [:]
        for index in found.indices {
            guard let other = correlations.updateValue(Int32(index), forKey: Self.key(found[index].moment)) else { continue }
            (found[index].next, found[index].isOneOfSeveral, found[Int(other)].isOneOfSeveral) = (other, true, true)
        }
        var damaged: Set<Int> = []
        var unclear: Set<UInt64> = []
        // Which of two belongs to which is not known.
        func refuse(_ part: Part) { output.refuse(ImportPlace(.record, part.record), .malformed("two pressures of one moment")) }
        func left(_ parts: [Part], _ value: (Found) -> Pressure) -> [UInt64: Part] {
            var left: [UInt64: Part] = [:]
            for part in parts {
                if let last = correlations[part.key] {
                    var all = [Int(last)]
                    while let one = all.last, found[one].next >= 0 { all.append(Int(found[one].next)) }
                    if !all.contains(where: { value(found[$0]) == part.value }) { damaged.formUnion(all) }
                } else if let other = left.updateValue(part, forKey: part.key), other.value != part.value {
                    unclear.insert(part.key)
                    refuse(other)
                }
            }
            return left
        }
        let systolics = left(parts.systolic) { $0.systolic }
        var diastolics = left(parts.diastolic) { $0.diastolic }
        parts = ([], [])
        for (key, part) in systolics.sorted(by: { $0.value.record < $1.value.record }) {
            guard let other = diastolics.removeValue(forKey: key) else {
                output.refuse(ImportPlace(.record, part.record), .half)
                continue
            }
            if unclear.contains(key) {
                refuse(part)
                refuse(other)
                continue
            }
            found.append(Found(moment: part.moment, systolic: part.value, diastolic: other.value, record: part.record, name: part.name))
        }
        for part in diastolics.values.sorted(by: { $0.record < $1.record }) { output.refuse(ImportPlace(.record, part.record), .half) }
        for index in damaged.sorted(by: >) {
            output.refuse(ImportPlace(.record, found[index].record), .malformed("its records have other values"))
            found.remove(at: index)
        }
    }

    private static func reading(_ one: Found) -> ImportedReading {
        let own = one.name.id == nil ? AppleOwnMetadata() : one.name.own
        var pressure = BloodPressure(systolic: one.systolic, diastolic: one.diastolic, pulse: one.pulse)
        pressure.mean = own.mean.flatMap { $0.unit == one.systolic.unit ? $0 : nil }
        // A damaged mean is no reason to refuse the pressures.
        if !pressure.isPlausible { pressure.mean = nil }
        var reading = ImportedReading(
            pressure, at: .instant(Timestamp(seconds: one.moment.seconds), offset: one.moment.offset),
            place: ImportPlace(.record, one.record))
        var key = TextBuffer(capacity: 48)
        // The source and the start name a sample that has no identifier of its own.
        key.append(hex: one.name.key ?? one.moment.source)
        if one.name.key == nil {
            key.append(0x20)
            key.append(decimal: one.moment.seconds)
            if one.isOneOfSeveral {
                key.append(0x20)
                key.append(one.systolic.digits)
                key.append(0x2F)
                key.append(one.diastolic.digits)
            }
        }
        reading.key = key.string
        reading.version = Int64(one.name.version)
        reading.isEntered = one.name.isEntered
        (reading.flags, reading.remarks) = (own.flags, own.remarks)
        if let id = one.name.id {
            reading.id = id
            // `cuff` counts versions from 1 and revisions from 0.
            reading.revision = UInt8(clamping: one.name.version - 1)
        }
        return reading
    }
}

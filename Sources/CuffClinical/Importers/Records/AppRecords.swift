import CuffCore

// Sources: UBPM JSON as omblepy @708c13e omblepy.py:289 writes it (A); Garmin, four readers (A).

extension Importer {
    /// UBPM's JSON, also as omblepy writes it.
    static let ubpm = Importer(
        driver: "import-ubpm", program: "UBPM", help: "JSON of UBPM and of omblepy", sign: "JSON with the key UBPM",
        form: .bytes { (_, _) throws(ImportFault) in RecordImport(UBPMRecords()) { $0.count == 4 && $0[1] == "UBPM" } },
        recognise: { JSONHead.has(["UBPM"], in: $0) })

    /// What Garmin's service answers. Its summaries are no readings.
    static let garmin = Importer(
        driver: "import-garmin", program: "Garmin Connect", help: "JSON of Garmin's blood pressure service",
        sign: "JSON with measurementSummaries and measurements",
        form: .bytes { (_, _) throws(ImportFault) in
            RecordImport(GarminRecords()) { path in
                path.count == 5 && path[1] == "measurementSummaries" || path.suffix(2) == ["measurements", "measurements"]
            }
        }, recognise: { JSONHead.has(["measurementSummaries"], in: $0) || JSONHead.has(["measurementTimestampGMT", "systolic"], in: $0) })
}

/// Names in the beginning of a JSON text.
enum JSONHead {
    /// Whether the text is JSON by its first character and has all of these names.
    static func has(_ names: [String], in head: [UInt8]) -> Bool {
        guard head.first(where: { $0 > 0x20 }).map({ $0 == 0x7B || $0 == 0x5B }) ?? false else { return false }
        let text = String(decoding: head, as: UTF8.self)
        return names.allSatisfy { text.contains("\"\($0)\"") }
    }
}

struct UBPMRecords: RecordJudge {
    mutating func reading(_ record: JSONValue, _ path: [String], _ place: ImportPlace) throws(ImportRefusal) -> ImportedReading? {
        let list = path[2]
        guard list.hasPrefix("U"), let user = Int32(list.dropFirst()), (1...99).contains(user) else { throw .unknownUser(list) }
        let text = "\(record["date"]?.text ?? "") \(record["time"]?.text ?? "")"
        let pressure = try record.pressure("sys", "dia", pulse: "bpm")
        guard let time = ImportTime(text), time.hasClock, time.order == nil, time.offset == nil else { throw .unreadableTime(text) }
        guard let when = time.time(.dmy) else { throw .impossibleTime(text) }
        var reading = ImportedReading(pressure, at: when, place: place)
        reading.user = user
        for (name, flag) in [("ihb", MeasurementFlags.irregularPulse), ("mov", .bodyMovement)] {
            switch record[name] == .bool(true) ? "1" : record[name]?.numeral {
            case "1": reading.flags.insert(flag)
            case "0", nil: break
            case let text: throw .unreadableNumber(column: name, text: text ?? "")
            }
        }
        reading.remark(note: record["msg"]?.text)
        return reading
    }
}

struct GarminRecords: RecordJudge {
    mutating func reading(_ record: JSONValue, _ path: [String], _ place: ImportPlace) throws(ImportRefusal) -> ImportedReading? {
        let pressure = try record.pressure("systolic", "diastolic", pulse: "pulse")
        guard let text = record["measurementTimestampGMT"]?.text else { throw .noTime("") }
        guard let time = ImportTime(text), time.hasClock, time.order == .ymd, time.offset == nil else { throw .unreadableTime(text) }
        guard let wall = time.wall(.ymd) else { throw .impossibleTime(text) }
        var offset: Int16?
        // The difference of the two is the offset; one that no zone has shows damage.
        if let local = record["measurementTimestampLocal"]?.text {
            guard let parsed = ImportTime(local), parsed.order == .ymd, let there = parsed.wall(.ymd) else { throw .unreadableTime(local) }
            let seconds = there.wallSeconds - wall.wallSeconds
            guard seconds % 900 == 0, seconds.magnitude <= 14 * 3600 else { throw .impossibleTime("\(local) beside \(text)") }
            offset = Int16(seconds / 60)
        }
        var reading = ImportedReading(pressure, at: .instant(Timestamp(seconds: wall.wallSeconds), offset: offset), place: place)
        reading.remark(note: record["notes"]?.text)
        reading.key = text
        reading.version = record["version"]?.integer ?? 0
        return reading
    }
}

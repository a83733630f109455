/// Extracts the numbers of a result document from a stream. Keeps only elements that make a reading.
struct UscomDocument: Sendable {
    /// One determination, or the result of a document without a series: element texts by name.
    struct Determination: Sendable {
        var id = ""
        var values: [String: String] = [:]
        func number(_ names: String...) -> Int? { names.lazy.compactMap { values[$0] }.first.flatMap { Int($0) } }
    }

    /// Elements are at most five deep in every document seen.
    private static let deepest = 16
    /// The longest relevant tag, `MeasDataLogger`, has 400 bytes.
    private static let longestTag = 2048
    /// Relevant texts are numbers and times.
    private static let longestText = 64
    /// A series has five determinations at most.
    private static let mostDeterminations = 16
    private static let elements: Set<String> = ["Sys", "Dia", "Map", "Mean", "Pr", "Hr", "DateTime", "IrregularHeartBeat"]

    private var path: [String] = []
    private var tag: [UInt8]?
    private var text: [UInt8] = []
    private(set) var length = 0
    private(set) var attributes: [String: String] = [:]
    private var direct = Determination()
    private var series: [Determination] = []

    /// The determinations of a series that its result includes, or the one result.
    var determinations: [Determination] {
        guard !series.isEmpty else { return [direct] }
        guard let included = attributes["includedMeasurements"] else { return series }
        let names = included.split(separator: ",").map { String(Self.trimmed($0)) }
        return series.filter { names.contains($0.id) }
    }

    mutating func add(_ byte: UInt8) {
        length += 1
        if var open = tag {
            tag = nil
            guard byte != 0x3E else { return close(open) }
            if open.count < Self.longestTag { open.append(byte) }
            tag = open
        } else if byte == 0x3C {
            tag = []
        } else if text.count < Self.longestText {
            text.append(byte)
        }
    }

    private mutating func close(_ tag: [UInt8]) {
        defer { text = [] }
        guard let first = tag.first, first != 0x3F, first != 0x21 else { return }
        let words = String(decoding: tag, as: UTF8.self)
        if first == 0x2F {
            endElement()
            if !path.isEmpty { path.removeLast() }
            return
        }
        let isEmpty = words.hasSuffix("/")
        let name = String(words.prefix { !$0.isWhitespace && $0 != "/" })
        guard path.count < Self.deepest else { return }
        path.append(name)
        if path.count == 2, name == "MeasDataLogger" { attributes = Self.attributes(words) }
        if path.count == 4, name == "NibpBloodPressure", path[2] == "NibpBloodPressures" {
            if series.count < Self.mostDeterminations {
                series.append(Determination(id: Self.attributes(words)["id"] ?? ""))
            } else {
                path[3] = ""  // Its values must not replace those of the last one.
            }
        }
        if isEmpty { path.removeLast() }
    }

    /// Ends an element and keeps its text if a reading needs it. An empty element is as one that is absent.
    private mutating func endElement() {
        guard let name = path.last, Self.elements.contains(name), path.count > 2, path[1] == "MeasDataLogger" else { return }
        let value = String(Self.trimmed(String(decoding: text, as: UTF8.self)[...]))
        if value.isEmpty { return }
        if path.count == 3 { direct.values[name] = value }
        if path.count == 5, path[3] == "NibpBloodPressure", !series.isEmpty { series[series.count - 1].values[name] = value }
    }

    /// The text of the first element `name` in one line.
    static func text(of name: String, in line: String) -> String? {
        guard let start = line.firstRange(of: "<\(name)>")?.upperBound, let end = line[start...].firstIndex(of: "<") else { return nil }
        return String(trimmed(line[start..<end]))
    }

    static func attributes(_ tag: String) -> [String: String] {
        var found: [String: String] = [:]
        let parts = tag.split(separator: "\"", omittingEmptySubsequences: false)
        for index in stride(from: 0, to: parts.count - 1, by: 2) {
            let name = parts[index].split(whereSeparator: { $0 == " " || $0 == "=" || $0 == "\t" || $0.isNewline }).last
            if let name { found[String(name)] = String(parts[index + 1]) }
        }
        return found
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

extension UscomDocument {
    /// One reading for each determination with both pressures.
    func readings(origin: Reading.Origin) -> [Reading] {
        determinations.compactMap { determination in
            guard let systolic = determination.number("Sys"), let diastolic = determination.number("Dia"), systolic > 0, diastolic > 0
            else { return nil }
            let values = BloodPressure.mmHg(
                systolic, diastolic, meanOrZero: determination.number("Map", "Mean") ?? 0,
                pulseOrZero: determination.number("Pr", "Hr") ?? 0)
            let time = determination.values["DateTime"] ?? attributes["datetime"] ?? ""
            return Reading(
                .bloodPressure(values), driver: "uscom-bpplus",
                flags: determination.values["IrregularHeartBeat"] == "1" ? .irregularPulse : [], clock: Self.clock(time), origin: origin,
                raw: RawBytes(record(determination, time: time)))
        }
    }

    /// The elements that make the reading, in fixed order: the whole document is too long, and contains the patient's id.
    private func record(_ determination: Determination, time: String) -> [UInt8] {
        let names = ["Sys", "Dia", "Map", "Mean", "Pr", "Hr", "IrregularHeartBeat"]
        let values = names.compactMap { name in determination.values[name].map { "\(name)=\($0)" } }
        return Array(
            (["datetime=\(time)", "guid=\(attributes["guid"] ?? "")", "id=\(determination.id)"] + values).joined(separator: " ").utf8)
    }

    /// `2026-05-05T07:33:10`, local time.
    static func clock(_ text: String) -> DeviceClock {
        let bytes = Array(text.utf8)
        let time = bytes.span.printedTime(year: 0, month: 5, day: 8, hour: 11, minute: 14, second: 17)
        return time.map { DeviceClock($0) } ?? .absent
    }
}

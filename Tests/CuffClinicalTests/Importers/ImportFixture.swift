import CuffClinical
import CuffCore
import Foundation
import TestSupport

/// Runs an importer over bytes, as the program does.
struct ImportFixture {
    var readings: [ImportedReading] = []
    var complaints: [ImportComplaint] = []
    var unused: [String] = []
    var fault: ImportFault?
    var importer: Importer?

    /// Samples with expected readings, where they are present.
    static let folder: URL? = {
        let url = ProjectFolder.url.deletingLastPathComponent().appendingPathComponent("shared/reference/samples/import")
        guard FileManager.default.fileExists(atPath: url.path) else {
            print("note: no import samples at \(url.path); their readings are not checked")
            return nil
        }
        return url
    }()

    /// Zones of the samples; only the offset of the named places matters.
    static func options(_ fileName: String = "") -> ImportOptions {
        var options = ImportOptions { name in
            let offsets: [String: Int32] = ["Asia/Tokyo": 9 * 3600, "Europe/Berlin": 2 * 3600]
            return offsets[name].map { ZoneTable(name: name, first: $0, changes: []) }
        }
        options.fileName = fileName
        return options
    }

    init(_ bytes: [UInt8], _ options: ImportOptions = options(), importer: Importer? = nil, chunk: Int = 4096) {
        let head = Array(bytes.prefix(Importer.headLength))
        self.importer = importer ?? Importer.recognised(head, options)
        guard let found = self.importer else {
            fault = .unknownLayout(firstLine: "")
            return
        }
        var output = ImportOutput()
        do throws(ImportFault) {
            guard var reader = try found.reader(options, head: head) else { return }
            for _ in 0..<reader.passes {
                var index = 0
                while index < bytes.count {
                    let end = min(index + chunk, bytes.count)
                    try reader.read(bytes.span.extracting(index..<end), &output)
                    index = end
                }
                try reader.endPass(&output)
            }
        } catch { fault = error }
        (readings, complaints, unused) = (output.readings, output.complaints, output.unused)
    }

    init(_ text: String, _ options: ImportOptions = options(), importer: Importer? = nil, chunk: Int = 4096) {
        self.init(Array(text.utf8), options, importer: importer, chunk: chunk)
    }

    /// The readings in the words of the expected lines.
    var lines: [[String: String]] { readings.map(Self.words) }

    static func words(_ reading: ImportedReading) -> [String: String] {
        var words: [String: String] = [:]
        func put(_ key: String, _ digits: Digits?) {
            guard let digits else { return }
            var text = TextBuffer()
            text.append(digits)
            words[key] = text.string
        }
        if let pressure = reading.pressure {
            let unit = pressure.systolic.unit == .kPa ? "kPa" : "mmHg"
            put("systolic_\(unit)", pressure.systolic.digits)
            put("diastolic_\(unit)", pressure.diastolic.digits)
            put("mean_\(unit)", pressure.mean?.digits)
            put("pulse_per_min", pressure.pulse?.digits)
        }
        if let user = reading.user { words["user"] = "\(user)" }
        for (bit, word) in MeasurementFlags.words.enumerated() where reading.flags.rawValue & (1 << UInt32(bit)) != 0 {
            words["flags", default: ""] += " \(word)"
        }
        for (key, text) in reading.remarks?.all ?? [] { words[key.rawValue] = text }
        if reading.isEntered { words["entered"] = "1" }
        var text = TextBuffer()
        switch reading.time {
        case .wall(let time):
            text.append(time)
            words["device_time"] = text.string
        case .instant(let time, let offset):
            text.append(local: time, offset: Int(offset ?? 0))
            words["measured"] = offset == nil ? text.string.replacingOccurrences(of: "+00:00", with: "Z") : text.string
        }
        return words
    }

    /// A file of expected lines: the readings, and the positions of skipped records.
    static func expected(_ url: URL) throws -> (readings: [[String: String]], skipped: [Int]) {
        var readings: [[String: String]] = []
        var skipped: [Int] = []
        for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
            guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { continue }
            if object["type"] as? String == "skipped" {
                skipped.append(object["line"] as? Int ?? -1)
                continue
            }
            var words: [String: String] = [:]
            for (key, value) in object where key != "type" && key != "computed_mean" {
                switch value {
                case let flags as [String]: words[key] = flagWords(flags)
                case let text as String: words[key] = text
                case let number as NSNumber: words[key] = "\(number)"
                default: break
                }
            }
            // An average that the cuff made has a flag here.
            if words.removeValue(forKey: "averaged_by_cuff") != nil { words["flags"] = flagWords(["averaged"]) }
            readings.append(words)
        }
        return (readings, skipped)
    }

    private static func flagWords(_ flags: [String]) -> String {
        MeasurementFlags.words.map(\.description).filter(flags.contains).map { " \($0)" }.joined()
    }
}

import CuffClinical
import CuffCore
import Glibc

/// Parses readings that this program printed as JSON Lines, for averages and recordings.
final class PrintedReadings {
    enum Content {
        case reading(HomeReading)
        case failure(Timestamp, Person, source: Int)
    }

    /// The cuffs so far; a reading's source is an index.
    private(set) var sources: [Provenance] = []
    private let name: String
    private let descriptor: Int32
    private let isOwn: Bool
    private var number = 0

    /// A line of this program has at most some kilobytes.
    private static let longestLine = 1 << 20
    private static let chunkSize = 1 << 16
    /// What is equal in all lines of one revision.
    private static let identifying = ["driver", "device", "user", "systolic_mmHg", "diastolic_mmHg"]
    /// One each half minute for a year.
    private static let mostReadings = 1_000_000

    init(_ path: String) throws(IngestError) {
        isOwn = path != "-"
        name = isOwn ? path : "standard input"
        guard isOwn else {
            descriptor = STDIN_FILENO
            return
        }
        do { descriptor = try Descriptor.open(path, O_RDONLY) } catch { throw .reading(path, error.number) }
    }

    deinit { if isOwn { close(descriptor) } }

    /// The selected readings in the order of their lines. A reading that is printed again counts once, with its highest revision, and
    /// one that a later line says is deleted not at all: `export --new` appends such lines to a file. Other values with the same id and
    /// revision, which this program does not print, are another reading. Lines of other types are skipped; a line that is not a JSON
    /// object throws.
    func all(_ selection: ReadingSelection) throws(IngestError) -> [Content] {
        var found: [Content?] = []
        var latest: [Reading.ID: (place: Int, revision: Int, values: [JSONValue?]?)] = [:]
        try forEachLine { line throws(IngestError) in
            let content = try content(line, selection)
            let id = line["id"]?.text.flatMap { Reading.ID.parse($0) }
            guard let id, let type = line["type"]?.text, ["blood_pressure", "measurement", "deleted"].contains(type) else {
                if let content { found.append(content) }
                return
            }
            guard found.count < Self.mostReadings else { throw IngestError(SelectionFault.tooManyLines(Self.mostReadings)) }
            let known = latest[id]
            let isDeletion = type == "deleted"
            let revision = isDeletion ? known?.revision ?? 0 : line["revision"]?.number.flatMap { Int(exactly: $0) } ?? 0
            var values = isDeletion ? nil : Self.identifying.map { line[$0] }
            if let known {
                if revision == known.revision, let values, let others = known.values, values != others {
                    found.append(content)
                    return
                }
                let isReplaced = revision > known.revision || revision == known.revision && (content == nil || found[known.place] != nil)
                guard isReplaced else { return }
                found[known.place] = nil
                values = values ?? known.values
            }
            latest[id] = (found.count, revision, values)
            found.append(content)
        }
        return found.compactMap { $0 }
    }

    private func forEachLine(_ body: (JSONValue) throws(IngestError) -> Void) throws(IngestError) {
        var rest: [UInt8] = []
        while true {
            let chunk: [UInt8]
            do { chunk = try Descriptor.chunk(descriptor, Self.chunkSize) } catch { throw .reading(name, error.number) }
            if chunk.isEmpty { break }
            rest += chunk
            var start = 0
            while let end = rest[start...].firstIndex(of: 0x0A) {
                try parse(rest[start..<end], body)
                start = end + 1
            }
            rest.removeFirst(start)
            guard rest.count <= Self.longestLine else { throw fault("it is longer than \(Self.longestLine) bytes") }
        }
        try parse(rest[...], body)
    }

    private func fault(_ why: String) -> IngestError {
        IngestError(SelectionFault.notAReading(file: name, line: number + 1, why: why))
    }

    private func parse(_ bytes: ArraySlice<UInt8>, _ body: (JSONValue) throws(IngestError) -> Void) throws(IngestError) {
        let bytes = number == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
        if !bytes.allSatisfy({ $0 <= 0x20 }) {
            guard let line = JSONValue(bytes), case .object = line else { throw fault("it is not a JSON object") }
            try body(line)
        }
        number += 1
    }

    private func content(_ line: JSONValue, _ selection: ReadingSelection) throws(IngestError) -> Content? {
        let type = line["type"]?.text
        if let refusal = ImportRefusal.schema(of: line) { throw fault("\(refusal)") }
        guard type == "blood_pressure" || type == "measurement" && line["event"]?.text == "failed" else { return nil }
        let user = line["user"]?.number.flatMap { Int(exactly: $0) }
        var provenance = Provenance(driver: line["driver"]?.text ?? "", device: line["device"]?.text ?? "")
        // A failed measurement may name no cuff: it is of the only one so far.
        if type == "measurement", provenance == Provenance(driver: "", device: ""), sources.count == 1 { provenance = sources[0] }
        let time = time(line, selection.zone)
        let isImplausible = type == "blood_pressure" && time == nil && hasImplausibleTime(line, selection.zone)
        let person = selection.household.person(
            cuff: Household.cuff(device: provenance.device, driver: provenance.driver), slot: user, said: line["person"]?.text)
        guard isImplausible || selection.holds(time), selection.person == nil || selection.person == person,
            selection.user == nil || selection.user == user,
            !selection.isWithoutUser || user == nil,
            provenance.isMeant(device: selection.device, driver: selection.driver)
        else { return nil }
        let source = sources.firstIndex(of: provenance) ?? sources.count
        if source == sources.count { sources.append(provenance) }
        guard type == "blood_pressure" else { return time.map { .failure($0, person, source: source) } }
        guard let systolic = pressure(line, "systolic"), let diastolic = pressure(line, "diastolic") else {
            throw fault("a blood pressure has systolic_mmHg and diastolic_mmHg")
        }
        let pulse = line["pulse_per_min"]?.number
        var flags: MeasurementFlags = []
        for word in line["flags"]?.list?.compactMap(\.text) ?? [] { if let flag = MeasurementFlags.named(word) { flags.insert(flag) } }
        if !Self.isPlausible(systolic, diastolic, line["mean_mmHg"]?.number, pulse) { flags.insert(.implausible) }
        let reason =
            InclusionRule(zone: selection.zone).reason(flags) ?? (isImplausible ? .timeImplausible : time == nil ? .timeUnknown : nil)
        var reading = HomeReading(
            id: line["id"]?.text.flatMap { Reading.ID.parse($0) } ?? .none, time: time, systolic: systolic, diastolic: diastolic,
            pulse: pulse, flags: flags, person: person, source: source, exclusion: reason)
        reading.isLeftArm = line["arm"]?.text.map { $0 == "left" }
        return .reading(reading)
    }

    /// In mmHg, from kPa if the cuff sent kPa, because the value in mmHg is rounded then.
    private func pressure(_ line: JSONValue, _ stem: String) -> Double? {
        guard let mmHg = line[stem + "_mmHg"]?.number else { return nil }
        return line[stem + "_kPa"]?.number.map { $0 * Pressure.mmHgPerKPa } ?? mmHg
    }

    /// As `Reading.bestTime`.
    private func time(_ line: JSONValue, _ zone: ZoneTable) -> Timestamp? {
        if line["clock"]?.text == "implausible" { return nil }
        if let time = told(line, zone) { return ClockCorrection.isCredible(time, received: received(line)) ? time : nil }
        return ["memory", "import"].contains(line["origin"]?.text) ? nil : received(line)
    }

    private func hasImplausibleTime(_ line: JSONValue, _ zone: ZoneTable) -> Bool {
        line["clock"]?.text == "implausible"
            || told(line, zone).map { !ClockCorrection.isCredible($0, received: received(line)) } ?? false
    }

    private func received(_ line: JSONValue) -> Timestamp? { line["received"]?.text.flatMap { Timestamp.parse($0)?.time } }

    private func told(_ line: JSONValue, _ zone: ZoneTable) -> Timestamp? {
        if let measured = line["measured"]?.text.flatMap({ Timestamp.parse($0)?.time }) { return measured }
        guard line["clock"]?.text != "unset", let time = line["device_time"]?.text.flatMap({ DeviceTime.parse($0) }), time.isPossible else {
            return nil
        }
        return time.instant(in: zone)
    }

    /// As `BloodPressure.isPlausible`, also for lines of programs that do not set the flag.
    private static func isPlausible(_ systolic: Double, _ diastolic: Double, _ mean: Double?, _ pulse: Double?) -> Bool {
        func digits(_ value: Double) -> Digits { Digits(mantissa: Int64((min(1e6, max(-1e6, value)) * 10_000).rounded()), exponent: -4) }
        return BloodPressure(
            systolic: Pressure(digits(systolic), .mmHg), diastolic: Pressure(digits(diastolic), .mmHg),
            mean: mean.map { Pressure(digits($0), .mmHg) }, pulse: pulse.map { PulseRate(digits($0)) }
        ).isPlausible
    }
}

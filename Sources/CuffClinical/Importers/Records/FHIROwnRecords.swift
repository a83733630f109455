import CuffCore

/// What the FHIR resources of this program say beside pressures: its own identifiers, Devices, and readings of other kinds.
struct FHIROwnRecords {
    /// A cuff as `FHIRDevices` describes it.
    struct Cuff: Hashable {
        var driver: String
        var device: String
    }

    /// Each cuff under its references. A transaction names it by `fullUrl`, a bulk file by its id.
    private var cuffs: [String: Cuff] = [:]
    /// A household has a few cuffs, a clinic some hundreds.
    static let mostCuffs = 10_000

    /// The name of the cuff with this reference.
    func device(_ reference: String) -> String? { cuffs[reference]?.device }

    /// The id of the reading and what follows it (`:pulse`, `:status`); `nil` for an Observation of another program.
    static func identifier(_ one: JSONValue) -> (id: Reading.ID, suffix: Substring)? {
        let own = (one["identifier"]?.list ?? []).first { $0["system"]?.text == FHIRCodes.readings }
        guard let text = own?["value"]?.text else { return nil }
        let end = text.firstIndex(of: ":") ?? text.endIndex
        return Reading.ID.parse(String(text[..<end])).map { ($0, text[end...]) }
    }

    /// Companions of a reading are found by its id, not by their time: another reading may have the same time.
    static func key(_ id: Reading.ID) -> UInt64 { XXHash64.hash(Array(id.description.utf8).span, seed: 2) }

    mutating func prepare(_ record: JSONValue) {
        let one = record["resource"] ?? record
        guard one["resourceType"]?.text == "Device", cuffs.count < Self.mostCuffs else { return }
        let names = (one["deviceName"]?.list ?? []).compactMap { $0["name"]?.text }
        let mark = "cuff driver "
        guard let name = names.first(where: { $0.hasPrefix(mark) }), let identifier = one["identifier"]?.list?.first,
            let value = identifier["value"]?.text
        else { return }
        let isOwn = identifier["system"]?.text == FHIRCodes.devices
        let cuff = Cuff(driver: String(name.dropFirst(mark.count)), device: isOwn ? value : value.lowercased().replacing("-", with: ""))
        for reference in [record["fullUrl"]?.text, one["id"]?.text.map { "Device/" + $0 }] {
            if let reference { cuffs[reference] = cuff }
        }
    }

    /// Names cuff, driver and decoder of a reading of this program.
    func complete(_ reading: inout ImportedReading, _ one: JSONValue) {
        let gateway = (one["extension"]?.list ?? []).first { $0["url"]?.text == FHIRCodes.core + "observation-gatewayDevice" }
        reading.decoder = Reading.decoder(gateway?["valueReference"]?["display"]?.text)
        if let cuff = (one["device"]?["reference"]?.text).flatMap({ cuffs[$0] }) {
            (reading.device, reading.driver) = (cuff.device, cuff.driver)
        }
        let words = (one["interpretation"]?.list ?? []).flatMap(Self.codes).map { $0.replacing("-", with: "_") }
        let known: MeasurementFlags = [.questionable, .calibrationOngoing, .validated]
        reading.flags.formUnion(MeasurementFlags.named(among: words).intersection(known))
        // Demonstration data have the same label; a note tells them apart.
        let labels = (one["meta"]?["security"]?.list ?? []).compactMap { $0["code"]?.text }
        if labels.contains("HTEST"), !reading.flags.contains(.demoData) { reading.flags.insert(.testData) }
    }

    /// The value of a reading that is no blood pressure; `nil` for an Observation that belongs to one.
    static func content(_ one: JSONValue, suffix: Substring) throws(ImportRefusal) -> Reading.Content? {
        switch suffix {
        case ":pulse":
            guard one["derivedFrom"] == nil else { return nil }
            guard let digits = try number(one) else { throw .noValue }
            return .pulseRate(PulseRate(digits))
        case "":
            let coding = (one["code"]?["coding"]?.list ?? []).first { $0["system"]?.text == FHIRCodes.mdc }
            guard let mdc = coding?["code"]?.text.flatMap({ UInt32($0) }) else { throw .malformed("a quantity without a code") }
            var quantity = Quantity(
                partition: UInt16(truncatingIfNeeded: mdc >> 16), term: UInt16(truncatingIfNeeded: mdc), value: try number(one))
            if quantity.value == nil {
                quantity.absence = absence(one["dataAbsentReason"])
                guard quantity.absence != .none else { throw .noValue }
            } else {
                let unit = one["valueQuantity"]?["unit"]?.text ?? ""
                guard let term = Nomenclature.unitTerm(unit) else { throw .unknownUnit(unit) }
                quantity.unit = term
            }
            return .quantity(quantity)
        default: return nil
        }
    }

    private static func number(_ one: JSONValue) throws(ImportRefusal) -> Digits? {
        guard let value = one["valueQuantity"] else { return nil }
        guard case .number(let text)? = value["value"], text.hasPrefix("-") else { return try value.digits("value", keepsZeros: true) }
        return ImportText.jsonDigits(String(text.dropFirst()), keepsZeros: true)
            .map { Digits(mantissa: -$0.mantissa, exponent: $0.exponent) }
    }

    static func codes(_ concept: JSONValue?) -> [String] { (concept?["coding"]?.list ?? []).compactMap { $0["code"]?.text } }

    /// As `FHIRCodes.absence`, where one word has the code.
    static func absence(_ concept: JSONValue?) -> Absence {
        let codes = codes(concept)
        let known: [(String, Absence)] = [
            ("not-a-number", .notANumber), ("positive-infinity", .positiveInfinity), ("negative-infinity", .negativeInfinity),
            ("not-performed", .notMeasured),
        ]
        return known.first { codes.contains($0.0) }?.1 ?? .none
    }
}

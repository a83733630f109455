import CuffCore

/// The heart rates of one subject at one moment. Several devices may have measured one at the same time.
struct FHIRHeartRates {
    /// `device`: the hash of its reference; 0: it names none.
    private struct Rate: Hashable {
        var device: UInt64
        var digits: Digits
    }

    private var rates: [Rate] = []
    /// With so many, none is chosen.
    private static let most = 16

    var isEmpty: Bool { rates.isEmpty }

    /// The unit of a heart rate if it is not beats per minute. Without a unit the code of the Observation says so.
    static func otherUnit(_ quantity: JSONValue?) -> String? {
        let units = ["code", "unit"].compactMap { quantity?[$0]?.text }
        return units.contains { isPerMinute($0.lowercased()) } ? nil : units.first
    }

    /// UCUM allows any annotation in braces.
    private static func isPerMinute(_ unit: String) -> Bool {
        unit.hasPrefix("{") && unit.hasSuffix("}/min")
            || ["/min", "1/min", "min-1", "bpm", "beats/min", "beats/minute", "beats per minute"].contains(unit)
    }

    /// That of the heart rate of a panel.
    static func otherUnit(ofPanel one: JSONValue) -> String? {
        let rates = (one["component"]?.list ?? []).filter { FHIROwnRecords.codes($0["code"]).contains("8867-4") }
        return rates.lazy.compactMap { otherUnit($0["valueQuantity"]) }.first
    }

    private static func device(_ one: JSONValue) -> UInt64 {
        one["device"]?["reference"]?.text.map { XXHash64.hash(Array($0.utf8).span, seed: 3) } ?? 0
    }

    /// Adds that of an Observation; `isOnly`: in place of all others.
    mutating func add(_ digits: Digits, of one: JSONValue, isOnly: Bool) {
        let rate = Rate(device: Self.device(one), digits: digits)
        if isOnly { rates = [] }
        if rates.count < Self.most, !rates.contains(rate) { rates.append(rate) }
    }

    /// Those that may belong to the blood pressure of this Observation: of the same device, else where only one of the two names a
    /// device. With more than one it is unclear which belongs.
    func candidates(for one: JSONValue) -> Set<Digits> {
        let device = Self.device(one)
        var own = rates.filter { $0.device == device }
        if own.isEmpty { own = rates.filter { $0.device == 0 || device == 0 } }
        return Set((rates.count < Self.most ? own : rates).map(\.digits))
    }
}

import CuffIngest

/// Refuses flags without effect, because the user expects one.
enum Flags {
    static func refuse(_ flag: String, when isRefused: Bool, why: String, hint: String = "") throws {
        guard isRefused else { return }
        throw IngestError(.usage, "\(flag) has no effect here", why: why, hint: hint.isEmpty ? "leave it out" : hint)
    }

    static func requirePositive(_ value: Int?, _ flag: String) throws {
        guard let value, value < 1 else { return }
        throw IngestError(.usage, "\(flag) \(value) asks for nothing", hint: "give a number from 1 on, or leave it out")
    }
}

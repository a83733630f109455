@testable import CuffCore

/// HL7 messages for tests, and the resulting readings.
enum HL7Bytes {
    static let time = "20260505073110"

    static func header(_ id: String = "M1", version: String = "2.6") -> String {
        "MSH|^~\\&|Monitor|Ward|||\(time)||ORU^R01|\(id)|P|\(version)"
    }

    static func value(
        _ code: String, _ value: String, unit: String = "mmHg", worth: String = "", status: String = "F", type: String = "NM",
        sub: String = "1", time: String = Self.time
    ) -> String {
        "OBX||\(type)|\(code)|\(sub)|\(value)|\(unit)||\(worth)|||\(status)|||\(time)"
    }

    static func text(_ segments: [String]) -> [UInt8] { segments.flatMap { Array("\($0)\r".utf8) } }
    static func block(_ segments: [String]) -> [UInt8] { [0x0B] + text(segments) + [0x1C, 0x0D] }

    static func session() -> any CuffSession {
        var session = CuffDriver.hl7ORU.makeSession(SessionContext())
        _ = session.handle(.command(.follow))
        return session
    }

    static func heard(_ segments: [String]) -> [SessionAction] {
        var session = session()
        return session.handle(.received(block(segments)))
    }
}

extension Sequence<SessionAction> {
    var emitted: [Reading] { compactMap { if case .emit(let reading) = $0 { reading } else { nil } } }
    var written: [String] { compactMap { if case .write(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } } }
    /// Messages at the default log level.
    var ignored: [String] { compactMap { if case .report(.ignored(let why, _)) = $0 { why.description } else { nil } } }
    var pressures: [String] {
        emitted.compactMap(\.bloodPressure).map { "\($0.systolic.digits.mantissa)/\($0.diastolic.digits.mantissa)" }
    }
}

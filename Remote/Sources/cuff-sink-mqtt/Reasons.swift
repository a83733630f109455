/// The meaning of a reason code for a reading or connection.
enum Verdict: Sendable, Equatable {
    case accepted
    /// Accepted, but without a subscriber: not stored anywhere unless retained.
    case unheard
    case later(String)
    case refuse(String)
    case fatal(String)
}

/// The codes of MQTT 5 (section 2.4) and of MQTT 3.1.1's CONNACK (section 3.2.2.3).
enum Reasons {
    /// The code of a PUBACK. MQTT 3.1.1 only has "accepted".
    static func puback(_ code: UInt8, topic: String, words: String? = nil) -> Verdict {
        let text = words.map { "\(name(code)): \($0)" } ?? name(code)
        switch code {
        case 0x10: return .unheard
        case 0..<0x80: return .accepted
        case 0x87: return .fatal("the broker does not let this user publish to \(topic) (\(text)); give it that right")
        case 0x90, 0x95, 0x99: return .refuse("the broker refuses it: \(text)")
        default: return .later("the broker does not accept readings now: \(text)")
        }
    }

    static func connack(_ code: UInt8, isVersion5: Bool, _ settings: Settings, words: String? = nil) -> Verdict {
        let name = isVersion5 ? name(code) : oldNames[code] ?? "code \(code)"
        let text = words.map { "\(name): \($0)" } ?? name
        switch code {
        case 0: return .accepted
        case 4 where !isVersion5, 5 where !isVersion5, 0x86, 0x87, 0x8A, 0x8C: return .fatal(credentials(settings, text))
        case 3 where !isVersion5, 0x80, 0x83, 0x88, 0x89, 0x97, 0x9F:
            return .later("the broker at \(settings.place) is not available: \(text)")
        default: return .fatal("the broker at \(settings.place) refuses the connection: \(text)")
        }
    }

    private static func credentials(_ settings: Settings, _ text: String) -> String {
        guard let user = settings.user else {
            return
                "the broker at \(settings.place) requires a user (\(text)); write mqtt://USER@HOST/ and put the password into \(settings.passwordPlace)"
        }
        guard settings.password != nil else {
            return
                "the broker at \(settings.place) wants a password for \(user) (\(text)); write it into \(settings.passwordPlace), mode 0600"
        }
        return
            "the broker at \(settings.place) does not accept user \(user) with this password (\(text)); correct \(settings.passwordPlace)"
    }

    /// The code of a DISCONNECT from the broker.
    static func disconnect(_ code: UInt8, _ settings: Settings, words: String? = nil) -> Verdict {
        let text = words.map { "\(name(code)): \($0)" } ?? name(code)
        switch code {
        case 0x8E:
            return .fatal("another program is connected as \(settings.clientID); give each its own ?gateway=NAME")
        case 0x87, 0x98, 0x9A, 0x9B, 0x9C, 0x9D: return .fatal("the broker at \(settings.place) ended the connection: \(text)")
        default: return .later("the broker at \(settings.place) ended the connection: \(text)")
        }
    }

    static func name(_ code: UInt8) -> String { names[code] ?? "reason 0x\(String(code, radix: 16))" }

    private static let oldNames: [UInt8: String] = [
        1: "unacceptable protocol version", 2: "client identifier rejected", 3: "server unavailable", 4: "bad user name or password",
        5: "not authorized",
    ]

    private static let names: [UInt8: String] = [
        0x80: "unspecified error", 0x81: "malformed packet", 0x82: "protocol error", 0x83: "implementation specific error",
        0x84: "unsupported protocol version", 0x85: "client identifier not valid", 0x86: "bad user name or password",
        0x87: "not authorized",
        0x88: "server unavailable", 0x89: "server busy", 0x8A: "banned", 0x8B: "server shutting down", 0x8C: "bad authentication method",
        0x8D: "keep alive timeout", 0x8E: "session taken over", 0x8F: "topic filter invalid", 0x90: "topic name invalid",
        0x93: "receive maximum exceeded", 0x94: "topic alias invalid", 0x95: "packet too large", 0x96: "message rate too high",
        0x97: "quota exceeded", 0x98: "administrative action", 0x99: "payload format invalid", 0x9A: "retain not supported",
        0x9B: "QoS not supported", 0x9C: "use another server", 0x9D: "server moved", 0x9F: "connection rate exceeded",
    ]
}

import RemoteSink

/// The validated settings of the address: `hl7+tls://HOST:PORT/?sender=NAME&patient.1=ID&authority=WARD`.
public struct HL7Target: Sendable, Equatable {
    /// Whose the readings are: PID-3 of the messages.
    public enum Patients: Sendable, Equatable {
        /// Messages have no PID; the receiver knows the patient by the device. Only for readings without a user slot.
        case byDevice
        case everybody(String)
        /// By user slot; 0 for readings without one.
        case slots([Int: String])
    }

    public let host: String
    public let port: Int
    public let isEncrypted: Bool
    public let isLoopback: Bool
    /// A CA file; `nil` for the system's.
    public let caFile: String?
    public let certificateFile: String?
    public let keyFile: String?
    /// MSH-3 and MSH-4: this computer, unique at the receiver, and its facility.
    public let sender: String, facility: String
    /// MSH-5 and MSH-6.
    public let receiver: String, receiverFacility: String
    /// PID-3.4, who assigned the patient ids.
    public let authority: String
    public let patients: Patients

    /// HL7 over MLLP, IANA's registry of ports.
    public static let standardPort = 2575
    private static let keys = ["sender", "facility", "to", "to-facility", "patient", "authority", "cafile", "certfile", "keyfile"]

    /// - Parameter hostName: this computer's name, for `sender`.
    public init(_ text: String, hostName: String) throws(ConfigurationFault) {
        let address = try HelperAddress(text)
        switch address.scheme {
        case "hl7+tcp": isEncrypted = false
        case "hl7+tls": isEncrypted = true
        default: throw ConfigurationFault("`\(address.scheme)` is not HL7; use hl7+tls:// or hl7+tcp://")
        }
        try address.check(known: Self.keys, prefixes: ["patient."])
        guard !address.host.isEmpty else { throw ConfigurationFault("the address has no host; write hl7+tls://HOST:PORT") }
        guard address.path.isEmpty || address.path == "/", address.user == nil else {
            throw ConfigurationFault("MLLP has no users and no paths; write hl7+tls://HOST:PORT/?…")
        }
        host = address.host
        port = address.port ?? Self.standardPort
        isLoopback = address.isLoopback
        func file(_ key: String) -> String? { address[key].flatMap { $0.isEmpty ? nil : $0 } }
        caFile = file("cafile")
        certificateFile = file("certfile")
        keyFile = file("keyfile")
        guard isEncrypted || caFile == nil && certificateFile == nil && keyFile == nil else {
            throw ConfigurationFault("cafile, certfile and keyfile are for hl7+tls://")
        }
        guard (certificateFile == nil) == (keyFile == nil) else {
            throw ConfigurationFault("a certificate needs its key: give both certfile and keyfile")
        }
        sender = address["sender"] ?? hostName
        guard !sender.isEmpty else { throw ConfigurationFault("this computer has no name; add sender=NAME") }
        facility = address["facility"] ?? ""
        receiver = address["to"] ?? ""
        receiverFacility = address["to-facility"] ?? ""
        authority = address["authority"] ?? ""
        patients = try Self.patients(address)
        guard authority.isEmpty || patients != .byDevice else {
            throw ConfigurationFault("authority= belongs to patient ids; add patient=ID, or patient.1=ID for each user slot")
        }
    }

    private static func patients(_ address: HelperAddress) throws(ConfigurationFault) -> Patients {
        var slots: [Int: String] = [:]
        for item in address.items where item.key.hasPrefix("patient.") {
            let digits = item.key.dropFirst("patient.".count)
            guard let slot = Int(digits), slot >= 0, "\(slot)" == digits, !item.value.isEmpty else {
                throw ConfigurationFault(
                    "`\(item.key)` is not a user slot with an id; write patient.1=ID, or patient.0=ID for readings without one")
            }
            guard slots.updateValue(item.value, forKey: slot) == nil else { throw ConfigurationFault("`\(item.key)` is given twice") }
        }
        let everybody = address.items.filter { $0.key == "patient" }
        guard let one = everybody.first else { return slots.isEmpty ? .byDevice : .slots(slots) }
        guard everybody.count == 1, slots.isEmpty, !one.value.isEmpty else {
            throw ConfigurationFault("use either patient=ID, once, or patient.1=ID for each user slot")
        }
        return .everybody(one.value)
    }

    /// For messages.
    public var place: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The patient of a reading: `nil` if messages name none. Throws why a reading cannot be sent.
    func patient(of reading: ReadingLine) throws(Refusal) -> String? {
        switch patients {
        case .everybody(let patient): return patient
        case .slots(let slots):
            if let patient = slots[reading.user ?? 0] { return patient }
            throw Refusal(
                text: reading.user.map { "no patient for user slot \($0); add patient.\($0)=ID to the address" }
                    ?? "no patient for readings without a user slot; add patient.0=ID to the address")
        case .byDevice:
            guard let user = reading.user, user != 0 else { return nil }
            // Two users of a cuff are two persons; the device does not tell them apart.
            throw Refusal(text: "the reading is of user slot \(user), and no patient is set; add patient.\(user)=ID to the address")
        }
    }
}

/// Why the receiver can never be sent a reading.
struct Refusal: Error, Equatable {
    let text: String
}

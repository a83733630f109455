import RemoteSink

/// The validated settings of the address: `hl7+tls://HOST:PORT/?sender=NAME&patient.1=ID&authority=WARD`.
public struct HL7Target: Sendable, Equatable {
    /// Whose the readings are: PID-3 of the messages.
    public enum Patients: Sendable, Equatable {
        /// Messages have no PID; the receiver knows the patient by the device. Only for readings without a user slot.
        case byDevice
        case everybody(String)
        /// By the name of a person, by `CUFF:SLOT` (or `CUFF` for readings without a slot), or by the number of a slot of one
        /// cuff; 0 for readings without one. A person with a name is found by that alone.
        case persons([String: String])
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
            throw ConfigurationFault("authority= belongs to patient ids; add patient=ID, or patient.NAME=ID for each person")
        }
    }

    private static func patients(_ address: HelperAddress) throws(ConfigurationFault) -> Patients {
        var persons: [String: String] = [:]
        for item in address.items where item.key.hasPrefix("patient.") {
            let text = String(item.key.dropFirst("patient.".count))
            guard !text.isEmpty, Int(text).map({ $0 >= 0 && "\($0)" == text }) ?? true, !item.value.isEmpty else {
                throw ConfigurationFault(
                    "`\(item.key)` is no person with an id; write patient.NAME=ID, patient.1=ID for a user slot, or patient.0=ID for readings "
                        + "without one")
            }
            guard persons.updateValue(item.value, forKey: text) == nil else { throw ConfigurationFault("`\(item.key)` is given twice") }
        }
        let everybody = address.items.filter { $0.key == "patient" }
        guard let one = everybody.first else { return persons.isEmpty ? .byDevice : .persons(persons) }
        guard everybody.count == 1, persons.isEmpty, !one.value.isEmpty else {
            throw ConfigurationFault("use either patient=ID, once, or patient.NAME=ID for each person")
        }
        return .everybody(one.value)
    }

    /// For messages.
    public var place: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The patient of a reading: `nil` if messages name none. Throws why a reading cannot be sent.
    func patient(of reading: ReadingLine) throws(Refusal) -> String? {
        switch patients {
        case .everybody(let patient): return patient
        case .persons(let persons):
            if let name = reading.person {
                if let patient = persons.first(where: { $0.key.lowercased() == name.lowercased() })?.value { return patient }
                throw Refusal(text: "no patient for \(name); add patient.\(name)=ID to the address")
            }
            if let patient = persons[Self.place(of: reading)] ?? persons["\(reading.user ?? 0)"] { return patient }
            throw Refusal(
                text: reading.user.map { "no patient for user slot \($0); add patient.\($0)=ID to the address" }
                    ?? "no patient for readings without a user slot; add patient.0=ID to the address")
        case .byDevice:
            if let name = reading.person {
                throw Refusal(text: "the reading is of \(name), and no patient is set; add patient.\(name)=ID to the address")
            }
            guard let user = reading.user, user != 0 else { return nil }
            // Two users of a cuff are two persons; the device does not tell them apart.
            throw Refusal(text: "the reading is of user slot \(user), and no patient is set; add patient.\(user)=ID to the address")
        }
    }
}

extension HL7Target {
    /// The cuff as `cuff` names it: its identity, or the driver of a cuff that reports none.
    static func cuff(of reading: ReadingLine) -> String { reading.device.flatMap { $0.isEmpty ? nil : $0 } ?? reading.driver }

    /// `CUFF:SLOT`, or `CUFF`.
    static func place(of reading: ReadingLine) -> String { reading.user.map { "\(cuff(of: reading)):\($0)" } ?? cuff(of: reading) }

    /// The slot if the patient of the reading is found by its number alone; the same slot of another cuff is another person.
    func numberedSlot(of reading: ReadingLine) -> Int? {
        guard case .persons(let persons) = patients, reading.person == nil, persons[Self.place(of: reading)] == nil else { return nil }
        return reading.user ?? 0
    }
}

/// Why the receiver can never be sent a reading.
struct Refusal: Error, Equatable {
    let text: String
}

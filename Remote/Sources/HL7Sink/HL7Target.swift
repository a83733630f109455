import CuffClinical
import RemoteSink

/// The validated settings of the address: `hl7+tls://HOST:PORT/?sender=NAME&patient.1=ID&authority=WARD`.
public struct HL7Target: Sendable, Equatable {
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
    /// PID-3. `nil`: messages have no PID, and the receiver knows the patient by the device; only for readings without a person or slot.
    public let patients: Patients?

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
        guard authority.isEmpty || patients != nil else {
            throw ConfigurationFault("authority= belongs to patient ids; add patient=ID, or patient.NAME=ID for each person")
        }
    }

    private static func patients(_ address: HelperAddress) throws(ConfigurationFault) -> Patients? {
        switch try address.byPerson("patient", key: Patients.key) {
        case .everybody(let id)?: .everybody(id)
        case .persons(let ids)?: .persons(ids)
        case nil: nil
        }
    }

    /// For messages.
    public var place: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The patient of a reading: `nil` if messages name none. Throws why a reading cannot be sent.
    func patient(of reading: ReadingLine) throws(Refusal) -> String? {
        let owner = reading.owner
        if let patient = patients?.patient(of: owner) { return patient }
        switch owner {
        case .named(let name): throw Refusal(text: "no patient for \(name); add patient.\(name)=ID to the address")
        case .unnamed(let slot?, _) where patients != nil || slot != 0:
            throw Refusal(text: "no patient for user slot \(slot); add patient.\(slot)=ID to the address")
        case .unnamed:
            guard patients != nil else { return nil }
            throw Refusal(text: "no patient for readings without a user slot; add patient.0=ID to the address")
        }
    }
}

extension ReadingLine {
    /// Whose it is.
    var owner: Person { Person(name: person, slot: user, device: device ?? "", driver: driver) }
}

/// Why the receiver can never be sent a reading.
struct Refusal: Error, Equatable {
    let text: String
}

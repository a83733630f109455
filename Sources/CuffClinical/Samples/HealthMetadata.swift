import CuffCore

/// The metadata of a sample, under the keys of HealthKit's files.
public struct HealthMetadata: Sendable, Hashable {
    /// `true` for values that a person typed in.
    public var wasUserEntered: Bool?
    /// IANA name of the zone in which the sample was made.
    public var timeZone: String?
    /// Identifies the sample among those of its source: a higher version replaces a lower one, the same version is the same sample.
    public var sync: (identifier: String, version: Int)? {
        get { syncIdentifier.map { ($0, syncVersion) } }
        set {
            syncIdentifier = newValue?.identifier
            syncVersion = newValue?.version ?? 0
        }
    }
    /// An id from another program.
    public var externalUUID: String?
    /// The serial number of the cuff.
    public var deviceSerialNumber: String?
    /// Further keys of the program. A reading keeps those of a sample that is saved, up to 4,000 bytes; sorted when written.
    public var other: [String: String]

    private var syncIdentifier: String?
    private var syncVersion = 0

    /// Sets each property as given. Checked only when a sample is made.
    public init(
        wasUserEntered: Bool? = nil, timeZone: String? = nil, sync: (identifier: String, version: Int)? = nil,
        externalUUID: String? = nil, deviceSerialNumber: String? = nil, other: [String: String] = [:]
    ) {
        self.wasUserEntered = wasUserEntered
        self.timeZone = timeZone
        self.externalUUID = externalUUID
        self.deviceSerialNumber = deviceSerialNumber
        self.other = other
        self.sync = sync
    }

    /// Key and value in the order in which they are written.
    public var entries: [(key: String, value: String)] {
        var entries: [(key: String, value: String)] = []
        if let wasUserEntered { entries.append(("HKWasUserEntered", wasUserEntered ? "1" : "0")) }
        if let timeZone { entries.append(("HKTimeZone", timeZone)) }
        if let sync {
            entries.append(("HKMetadataKeySyncIdentifier", sync.identifier))
            entries.append(("HKMetadataKeySyncVersion", "\(sync.version)"))
        }
        if let externalUUID { entries.append(("HKExternalUUID", externalUUID)) }
        if let deviceSerialNumber { entries.append(("HKDeviceSerialNumber", deviceSerialNumber)) }
        return entries + other.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    static func checkSize(_ facts: [String: String]) throws(HealthError) {
        let most = Reading.longestMetadata
        guard JSONOutput(facts).string.utf8.count <= most else {
            throw HealthError(.dataSizeExceeded, "the metadata is longer than \(most) bytes")
        }
    }

    func check() throws(HealthError) {
        guard let sync else { return }
        guard !sync.identifier.isEmpty, sync.version >= 0 else {
            throw .invalid("a sync identifier must not be empty and its version not negative")
        }
    }
}

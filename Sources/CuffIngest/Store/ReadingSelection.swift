import CuffClinical
import CuffCore

/// Which stored readings are meant: every condition that is set must hold.
public struct ReadingSelection: Sendable, Hashable {
    /// The types of the JSON vocabulary.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case bloodPressure = "blood_pressure"
        case pulseRate = "pulse_rate"
        case quantity
        /// A measurement that failed.
        case measurement

        /// The type of a reading.
        public init(_ content: Reading.Content) {
            switch content {
            case .bloodPressure: self = .bloodPressure
            case .pulseRate: self = .pulseRate
            case .quantity: self = .quantity
            case .failure: self = .measurement
            }
        }
    }

    /// From this instant on.
    public var since: Timestamp?
    /// Up to this instant, which is not included.
    public var until: Timestamp?
    /// The readings of this person in the view of `household`; `nil`: of all.
    public var person: Person?
    /// Who is who.
    public var household = Household()
    /// The readings of this user slot, of every cuff that has it; `nil`: of all.
    public var user: Int?
    /// Only those that tell no user.
    public var isWithoutUser = false
    /// The readings stored under this identity; `nil`: under any.
    public var device: String?
    /// A driver's id, or `manual`.
    public var driver: String?
    /// Empty means all.
    public var kinds: Set<Kind>
    /// These readings; empty means all.
    public var ids: [Reading.ID]
    /// Only those that the export of this name has not given yet, in this revision.
    public var newFor: String?
    /// Only the latest so many, by their ids.
    public var last: Int?
    /// The zone in which a cuff's own time is read where nothing better is known.
    public var zone: ZoneTable

    /// No other condition is set.
    public init(kinds: Set<Kind> = [], zone: ZoneTable) {
        self.kinds = kinds
        self.zone = zone
        ids = []
    }

    /// Whether nothing narrows it: everything there is.
    public var isEverything: Bool {
        since == nil && until == nil && person == nil && user == nil && !isWithoutUser && device == nil && driver == nil && kinds.isEmpty && ids.isEmpty
            && last == nil
    }

    /// Conditions in SQL, wide enough that nothing is lost; the exact time is judged afterwards. ISO texts sort by their
    /// days, and no zone is further than 26 hours from another.
    func condition(_ sources: [Int64: StoredSource]) -> String {
        var parts = ["NOT pending"]
        let kinds = kinds.isEmpty ? Kind.allCases : Kind.allCases.filter(self.kinds.contains)
        parts.append("type IN (\(kinds.map { Self.quoted($0.rawValue) }.joined(separator: ",")))")
        // What tells no credible time is in no range, and is counted by the verbs that leave it out.
        var range: [String] = []
        if let since { range.append("coalesce(measured, device_time, received) >= \(Self.day(since.seconds - 2 * 86400))") }
        if let until { range.append("coalesce(measured, device_time, received) < \(Self.day(until.seconds + 3 * 86400))") }
        if !range.isEmpty { parts.append("(clock = 'implausible' OR \(range.joined(separator: " AND ")))") }
        if let user { parts.append("user = \(user)") }
        if isWithoutUser { parts.append("user IS NULL") }
        if device != nil || driver != nil {
            let meant = sources.filter {
                (device == nil || $0.value.provenance.device == device) && (driver == nil || $0.value.provenance.driver == driver)
            }
            parts.append("source IN (\(meant.keys.sorted().map(String.init).joined(separator: ",")))")
        }
        if !ids.isEmpty { parts.append(Self.names(ids)) }
        if let newFor {
            parts.append(
                "NOT EXISTS (SELECT 1 FROM exported WHERE cursor = \(Self.quoted(newFor)) AND exported.id = reading.id "
                    + "AND exported.revision >= \(ReadingColumn.fullRevision))")
        }
        return "(\(parts.joined(separator: " AND ")))"
    }

    /// Whether a reading of this time is meant. One whose time is unknown is not in any range.
    func holds(_ time: Timestamp?) -> Bool {
        guard since != nil || until != nil else { return true }
        guard let time else { return false }
        return (since.map { time >= $0 } ?? true) && (until.map { time < $0 } ?? true)
    }

    private static func day(_ seconds: Int64) -> String {
        var text = TextBuffer(capacity: 16)
        text.append(DeviceTime(wallSeconds: max(0, seconds), precision: .day))
        return quoted(text.string)
    }

    static func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" ? "''" : String($0) }.joined() + "'"
    }
}

/// A source as the database knows it.
public struct StoredSource: Sendable, Hashable {
    /// The number of the source in the database.
    public var number: Int64
    /// The id of the driver.
    public var driver: DriverID
    /// The cuff the readings are from.
    public var provenance: Provenance
}

extension ReadingSelection {
    /// Ids as they were printed.
    public static func ids(_ texts: [String]) throws(IngestError) -> [Reading.ID] {
        var found: [Reading.ID] = []
        for text in texts {
            guard let id = Reading.ID.parse(text) else {
                throw IngestError(StoreFault.notAnID(text))
            }
            found.append(id)
        }
        return found
    }
}

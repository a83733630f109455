import CuffClinical
import CuffCore

/// Selects stored readings; all conditions that are set must hold.
public struct ReadingSelection: Sendable, Hashable {
    /// The types of readings in JSON.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case bloodPressure = "blood_pressure"
        case pulseRate = "pulse_rate"
        case quantity
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

    /// Start of the range, included.
    public var since: Timestamp?
    /// End of the range, not included.
    public var until: Timestamp?
    /// The readings of this person in the view of `household`; `nil`: of all.
    public var person: Person?
    /// Who is who.
    public var household = Household()
    /// The readings of this user slot, of every cuff that has it; `nil`: of all.
    public var user: Int?
    /// Only readings without a user.
    public var isWithoutUser = false
    /// Stored under this identity; of a cuff without one, its driver. `nil`: any.
    public var device: String?
    /// A driver id, or `manual`.
    public var driver: String?
    /// Empty: all.
    public var kinds: Set<Kind>
    /// Empty: all.
    public var ids: [Reading.ID]
    /// Only readings that this export has not yet delivered in their revision.
    public var newFor: String?
    /// Only those for which it holds; `nil`: all.
    public var condition: ReadingCondition?
    /// Only the latest, by time; as points of statistics, by id.
    public var last: Int?
    /// The zone of device times without a better source.
    public var zone: ZoneTable

    /// Without other conditions.
    public init(kinds: Set<Kind> = [], zone: ZoneTable) {
        self.kinds = kinds
        self.zone = zone
        ids = []
    }

    /// Parses printed ids.
    /// - Throws: `StoreFault.notAnID` in an `IngestError`.
    public static func ids(_ texts: [String]) throws(IngestError) -> [Reading.ID] {
        try texts.map { (text) throws(IngestError) in
            guard let id = Reading.ID.parse(text) else { throw IngestError(StoreFault.notAnID(text)) }
            return id
        }
    }

    /// Whether no condition is set.
    public var isEverything: Bool {
        since == nil && until == nil && person == nil && user == nil && !isWithoutUser && device == nil && driver == nil && kinds.isEmpty
            && ids.isEmpty && last == nil && condition == nil
    }

    /// Whether readings are chosen without regard to their number and values.
    var isOfTime: Bool { last == nil && condition == nil }

    /// The conditions in SQL, deliberately too wide; the exact time is checked afterwards. ISO texts sort by day, and two zones
    /// differ by at most 26 hours.
    func condition(_ sources: [Int64: StoredSource]) -> String {
        var parts = ["NOT pending"]
        let kinds = kinds.isEmpty ? Kind.allCases : Kind.allCases.filter(self.kinds.contains)
        parts.append("type IN (\(kinds.map { Self.quoted($0.rawValue) }.joined(separator: ",")))")
        // Readings without a time, or with one that is not credible, are in no range; the verbs that leave them out count them.
        let time = "coalesce(measured, device_time, received)"
        let range: String? =
            switch days {
            case (let first?, let end?): "\(time) BETWEEN \(Self.quoted(first)) AND \(Self.quoted(end))"
            case (let first?, nil): "\(time) >= \(Self.quoted(first))"
            case (nil, let end?): "\(time) <= \(Self.quoted(end))"
            case (nil, nil): nil
            }
        if let range { parts.append("iif(\(range), 1, clock IN ('implausible', 'unset') OR coalesce(measured, device_time) IS NULL)") }
        if let user { parts.append("user = \(user)") }
        if isWithoutUser { parts.append("user IS NULL") }
        if device != nil || driver != nil {
            let meant = sources.filter { $0.value.provenance.isMeant(device: device, driver: driver) }
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

    /// Whether the time is in the range. An unknown time is in no range.
    func holds(_ time: Timestamp?) -> Bool {
        guard since != nil || until != nil else { return true }
        guard let time else { return false }
        return (since.map { time >= $0 } ?? true) && (until.map { time < $0 } ?? true)
    }

    /// The days of the range, `2026-05-05`, from the first to the one after the last: wide enough for any zone.
    private var days: (first: String?, end: String?) {
        func day(_ seconds: Int64) -> String {
            var text = TextBuffer(capacity: 16)
            text.append(DeviceTime(wallSeconds: max(0, seconds), precision: .day))
            return text.string
        }
        return (since.map { day($0.seconds - 26 * 3600) }, until.map { day($0.seconds + (26 + 24) * 3600) })
    }

    /// With what the ids of these days begin; `nil` on a side without a limit.
    var idRange: (first: String?, end: String?) {
        let days = days
        return (days.first?.replacing("-", with: ""), days.end?.replacing("-", with: ""))
    }

    static func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" ? "''" : String($0) }.joined() + "'"
    }
}

/// A row of the table `source`.
package struct StoredSource: Sendable, Hashable {
    package var number: Int64
    package var driver: DriverID
    package var provenance: Provenance
}

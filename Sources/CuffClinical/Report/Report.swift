import CuffCore

/// The content of a page for the doctor: averages, extremes, parts of the day, and readings that were left out, with the reason.
/// `ReportPage` draws it. Readings that are not listed are not kept: memory grows with the months that they cover, not with their number.
package struct Report: Sendable {
    package struct Entry: Sendable, Hashable {
        package var point: ReadingPoint
        package var isEntered: Bool
        package var remarks: Remarks?
        /// What its time is based on.
        package var basis: TimeBasis
        /// The index of the cuff in `sources`.
        package var source: Int
        /// The part of the day and the day, in days since 1970, of its session; set when it is added to a report.
        package internal(set) var window = DayWindow.other, day: Int64 = 0

        package enum TimeBasis: String, Sendable, Hashable, CaseIterable {
            /// A cuff's clock that agreed, that was corrected, or that was not compared; the arrival; a person's entry; another program.
            case synced, corrected, unchecked, arrival, entered, imported

            var words: String {
                switch self {
                case .synced: "by the cuff's clock, which was right"
                case .corrected: "by the cuff's clock, corrected"
                case .unchecked: "by the cuff's clock, not checked"
                case .arrival: "by arrival"
                case .entered: "as typed in"
                case .imported: "as another program wrote them (imported)"
                }
            }

            /// The clock of a reading from a capture was not compared.
            package init(_ rule: ClockRule, hasDeviceTime: Bool, origin: Reading.Origin) {
                switch origin {
                case .entered: self = .entered
                case .imported: self = .imported
                case .memory, .push, .measurement:
                    switch rule {
                    case .synced: self = .synced
                    case .corrected: self = .corrected
                    case .receiveTime: self = .arrival
                    case .deviceTime, .unset, .implausible, .none: self = hasDeviceTime ? .unchecked : .arrival
                    }
                }
            }
        }

        package init(_ point: ReadingPoint, isEntered: Bool, remarks: Remarks? = nil, basis: TimeBasis, source: Int) {
            (self.point, self.isEntered, self.remarks) = (point, isEntered, remarks)
            (self.basis, self.source) = (basis, source)
        }
    }

    package struct LeftOut: Sendable, Hashable {
        package var time: Timestamp?
        /// What was measured, or how it failed.
        package var content: Reading.Content
        package var reason: Exclusion

        package init(time: Timestamp?, content: Reading.Content, reason: Exclusion) {
            (self.time, self.content, self.reason) = (time, content, reason)
        }

        /// A reading that would count by itself.
        package init(_ entry: Entry, reason: Exclusion) {
            func pressure(_ value: Double) -> Pressure { Pressure(Digits(value) ?? Digits(mantissa: Int64(value.rounded())), .mmHg) }
            let content = BloodPressure(systolic: pressure(entry.point.systolic), diastolic: pressure(entry.point.diastolic))
            self.init(time: entry.point.time, content: .bloodPressure(content), reason: reason)
        }
    }

    /// A reading with its result under the rule.
    package struct Explained: Sendable, Hashable {
        package var reading: HomeReading
        package var fate: ReadingFate
        package var cuff: Provenance
        /// As `Reading.decoder`; the name of the driver where that is unknown.
        package var decoder: String

        package init(_ reading: HomeReading, _ fate: ReadingFate, cuff: Provenance) {
            (self.reading, self.fate, self.cuff, self.decoder) = (reading, fate, cuff, cuff.driver)
        }
    }

    /// The name at the top of the page; empty for none.
    package var person: String
    /// The heading of the person, if the page has several and no name was given.
    package var section = ""
    /// The averages by a rule, each with the name of its cuff, which is empty if all are of one cuff.
    package var averages: [(cuff: String, average: ProtocolAverage)] = []
    /// The guideline with which means are compared; `nil` for none.
    package var guideline: PressureGuideline?
    /// Whether the person was declared an adult; otherwise no mean is compared.
    package var isAdult = false
    package var blocks: [ReportBlock] = []
    /// Every reading with its result under the rule, for a page that explains its numbers; empty for others.
    package var explained: [Explained] = []
    package var explains = false
    package var listsReadings = true
    /// The zone of every time on the page.
    package let zone: ZoneTable
    package let windows: DayWindows
    package let lines: ReferenceLines
    package let rule: InclusionRule
    /// The readings that count, in the order in which they were added; empty if they are too many, or cover too long a time, for a list.
    package private(set) var entries: [Entry] = []
    /// The latest `mostLeftOut` readings that do not count, ascending; those of unknown time first.
    package private(set) var leftOut: [LeftOut] = []
    package private(set) var leftOutCount = 0
    private(set) var leftOutByReason: [Exclusion: Int] = [:]
    /// The medicines of the remarks, with the number of readings; at most `mostMedicines`.
    private(set) var medicines: [String: Int] = [:]
    /// The cuffs of the readings, each once.
    package private(set) var sources: [Provenance] = []
    private(set) var tally: ReportTally
    private var places: SessionPlaces
    private var hasAverages = false

    /// More lines than a doctor reads.
    static let mostListed = 5000
    static let mostLeftOut = 60
    /// Others are in the table of the readings.
    static let mostMedicines = 20

    package init(
        person: String = "", zone: ZoneTable, windows: DayWindows = .usual, lines: ReferenceLines = .home,
        excludesDisturbed: Bool = false
    ) {
        (self.person, self.zone, self.windows, self.lines) = (person, zone, windows, lines)
        places = SessionPlaces(windows)
        rule = InclusionRule(zone: zone, excludesDisturbed: excludesDisturbed)
        tally = ReportTally(zone: zone, lines: lines)
    }

    var name: String { person.isEmpty ? section : person }

    package var count: Int { tally.count }

    /// Whether these readings must be added again, in the order of time and without the inflations in averages of a cuff.
    package var needsOrder: Bool { hasAverages || !places.isInOrder }

    /// The index of a cuff in `sources`, to which it is added if it is new.
    package mutating func place(of provenance: Provenance) -> Int {
        if let place = sources.firstIndex(of: provenance) { return place }
        sources.append(provenance)
        return sources.count - 1
    }

    /// Adds a reading; `exclusion`: why it does not count, if it does not show that itself.
    package mutating func add(_ reading: Reading, from provenance: Provenance, exclusion: Exclusion? = nil) {
        // Quantities of other devices, and pulses without a pressure, are left out of this page.
        switch reading.content {
        case .bloodPressure, .failure: break
        case .pulseRate, .quantity: return
        }
        let source = place(of: provenance)
        let isEntered = reading.origin == .entered
        switch exclusion.map(InclusionRule.Verdict.excluded) ?? rule.verdict(on: reading) {
        case .counts(let point):
            let basis = Entry.TimeBasis(reading.rule, hasDeviceTime: reading.clock.time != nil, origin: reading.origin)
            add(Entry(point, isEntered: isEntered, remarks: reading.remarks, basis: basis, source: source))
        case .excluded(let reason):
            add(LeftOut(time: reading.bestTime(in: zone), content: reading.content, reason: reason))
        }
    }

    package mutating func add(_ entry: Entry) {
        var entry = entry
        (entry.window, entry.day) = places.place(entry.point.time, source: entry.source, zone: zone)
        if entry.point.flags.contains(.averaged) { hasAverages = true }
        tally.add(entry)
        if let medicine = entry.remarks?[.medication], medicines[medicine] != nil || medicines.count < Self.mostMedicines {
            medicines[medicine, default: 0] += 1
        }
        if tally.isDaily, tally.count <= Self.mostListed {
            entries.append(entry)
        } else if !entries.isEmpty {
            entries = []
        }
    }

    package mutating func add(_ one: LeftOut) {
        leftOutCount += 1
        leftOutByReason[one.reason, default: 0] += 1
        func key(_ one: LeftOut) -> Int64 { one.time?.milliseconds ?? .min }
        var place = leftOut.count
        while place > 0, key(leftOut[place - 1]) > key(one) { place -= 1 }
        leftOut.insert(one, at: place)
        if leftOut.count > Self.mostLeftOut { leftOut.removeFirst() }
    }

    var isListed: Bool { !entries.isEmpty }

    package var sorted: [Entry] { entries.sorted { ReadingPoint.isEarlier($0.point, $1.point) } }
}

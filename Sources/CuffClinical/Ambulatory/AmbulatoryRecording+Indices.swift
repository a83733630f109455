import CuffCore

/// How pressures differ between day and night, and from one reading to the next.
extension AmbulatoryRecording {
    /// By how much the systolic mean falls at night, in the classes of ESC 2024: "night-to-day ratio of >0.9 and ≤1.0" is a reduced
    /// fall, "0.8 to 0.9" a normal one, "<0.8" an extreme one, "> 1.0" none.
    public enum Dipping: String, Sendable, Hashable, CaseIterable {
        case extremeDipper = "extreme_dipper", dipper
        case nonDipper = "non_dipper"
        case riser

        /// The class of a fall in percent, compared exactly.
        public init(fallInPercent fall: Fraction) {
            self = fall > Fraction(20) ? .extremeDipper : fall >= Fraction(10) ? .dipper : fall >= Fraction(0) ? .nonDipper : .riser
        }

        /// Where the classes are from, and how well their borders are founded.
        public static let document = GuidelineDocument.esc2024, evidence = Evidence.guideline
    }

    /// The ratio of the night's systolic mean to the day's; `nil` without either.
    public var nightToDay: Fraction? {
        guard let night = night.systolic, let day = day.systolic else { return nil }
        return night.divided(by: day)
    }

    /// 100 × (1 − night/day), of the mean systolic pressures.
    public var fallInPercent: Fraction? {
        nightToDay.flatMap { Fraction(1).subtracting($0)?.multiplied(by: Fraction(100)) }
    }

    /// The fall in a word, of that one night; only of a valid recording.
    public var dipping: Dipping? { isValid ? fallInPercent.map(Dipping.init(fallInPercent:)) : nil }

    /// Means by the hours of day and night, which a denser part of the recording cannot pull to its side.
    public var byHours: (systolic: Fraction, diastolic: Fraction)? {
        func weighted(_ first: Fraction?, _ second: Fraction?) -> Fraction? {
            guard let first, let second else { return nil }
            let (day, night) = (first.multiplied(by: Fraction(dayMinutes)), second.multiplied(by: Fraction(nightMinutes)))
            return day.flatMap { day in night.flatMap { day.adding($0) } }?.divided(by: Fraction(dayMinutes + nightMinutes))
        }
        guard let systolic = weighted(day.systolic, night.systolic), let diastolic = weighted(day.diastolic, night.diastolic) else {
            return nil
        }
        return (systolic, diastolic)
    }

    /// The systolic rise in the morning by two definitions, which disagree and reproduce poorly.
    public struct Surge: Sendable, Hashable {
        /// The mean of the two hours after waking less the mean of the lowest sleep reading and its neighbours.
        public var sleepTrough: Fraction?
        /// The lowest sleep reading and its neighbours, in the order of time.
        public var trough: [Fraction]
        /// The mean of the two hours after waking less that of the two hours before.
        public var preWaking: Fraction?
    }

    /// `nil` where no reading was made at night or none within two hours after waking.
    public var surge: Surge? {
        guard let waking else { return nil }
        let window: Int64 = 7_200_000
        let after = points.filter { $0.time >= waking && $0.time.milliseconds < waking.milliseconds + window }
        let before = points.filter { $0.time < waking && $0.time.milliseconds >= waking.milliseconds - window }
        guard let high = Self.mean(after) else { return nil }
        let asleep = points.filter { $0.isNight == true && $0.time < waking }
        guard let lowest = asleep.indices.min(by: { (asleep[$0].systolic, $0) < (asleep[$1].systolic, $1) }) else { return nil }
        let trough = Array(asleep[max(0, lowest - 1)..<min(asleep.count, lowest + 2)])
        return Surge(
            sleepTrough: Self.mean(trough).flatMap { high.subtracting($0) }, trough: trough.map(\.systolic),
            preWaking: Self.mean(before).flatMap { high.subtracting($0) })
    }

    private static func mean(_ points: [Point]) -> Fraction? {
        points.isEmpty ? nil : Variability.sum(points.map(\.systolic))?.divided(by: Fraction(Int64(points.count)))
    }

    /// One pressure's variability over the recording.
    public struct Differing: Sendable, Hashable {
        /// Of all readings, of the day's and of the night's; `nil` for fewer than two.
        public var all: Variability?, day: Variability?, night: Variability?
        /// The standard deviations of day and night by their hours, which leaves the fall at night out.
        public var weightedDeviation: Double?
        /// The average real variability, each step weighted by the time it took.
        public var averageRealByTime: Fraction?
    }

    /// The systolic pressure's variability.
    public var systolicDiffering: Differing { differing(\.systolic) }
    /// The diastolic pressure's variability.
    public var diastolicDiffering: Differing { differing(\.diastolic) }

    private func differing(_ pressure: KeyPath<Point, Fraction>) -> Differing {
        let values = { (isNight: Bool) in points.filter { $0.isNight == isNight }.map { $0[keyPath: pressure] } }
        let (day, night) = (Variability(values(false)), Variability(values(true)))
        var weighted: Double?
        if let day, let night, dayMinutes + nightMinutes > 0 {
            let sum = day.standardDeviation * Double(dayMinutes) + night.standardDeviation * Double(nightMinutes)
            weighted = sum / Double(dayMinutes + nightMinutes)
        }
        var (steps, time): (Fraction?, Int64) = (Fraction(0), 0)
        for (one, next) in zip(points, points.dropFirst()) {
            let elapsed = next.time.milliseconds - one.time.milliseconds
            let step = next[keyPath: pressure].subtracting(one[keyPath: pressure])?.magnitude.multiplied(by: Fraction(elapsed))
            steps = step.flatMap { steps?.adding($0) }
            time += elapsed
        }
        return Differing(
            all: Variability(points.map { $0[keyPath: pressure] }), day: day, night: night, weightedDeviation: weighted,
            averageRealByTime: time > 0 ? steps?.divided(by: Fraction(time)) : nil)
    }

    /// How many of the readings of one part reach a threshold.
    public struct Load: Sendable, Hashable {
        /// `ambulatoryDay`, `ambulatoryNight` or `ambulatory24h`.
        public var setting: PressureSetting
        /// Readings of the part; those whose systolic, and those whose diastolic pressure reaches its number.
        public var readings: Int, systolic: Int, diastolic: Int
    }

    /// The loads by the thresholds of a guideline, for the parts that it has one for.
    public func loads(_ guideline: PressureGuideline) -> [Load] {
        let parts: [(PressureSetting, [Point])] = [
            (.ambulatoryDay, points.filter { $0.isNight == false }), (.ambulatoryNight, points.filter { $0.isNight == true }),
            (.ambulatory24h, points),
        ]
        return parts.compactMap { setting, points in
            guard let threshold = guideline.thresholds[setting] else { return nil }
            let reached = points.map { threshold.reached($0.systolic, $0.diastolic) }
            return Load(
                setting: setting, readings: points.count, systolic: reached.count { $0.systolic }, diastolic: reached.count { $0.diastolic }
            )
        }
    }

    /// The sums of one part.
    public func sums(_ setting: PressureSetting) -> PressureSums? {
        switch setting {
        case .ambulatoryDay: day
        case .ambulatoryNight: night
        case .ambulatory24h: all
        case .home, .office: nil
        }
    }

    /// What a guideline says of the mean of one part; `nil` where the recording is not valid or there is no threshold.
    public func judgement(_ guideline: PressureGuideline, _ setting: PressureSetting) -> Judgement? {
        guard isValid, guideline.thresholds[setting] != nil, let sums = sums(setting), sums.count > 1, let systolic = sums.systolic,
            let diastolic = sums.diastolic
        else { return nil }
        return Judgement(guideline, setting, systolic: systolic, diastolic: diastolic)
    }

    /// One hour of the recording.
    public struct Hour: Sendable, Hashable {
        /// When it begins.
        public var start: Timestamp
        /// Its readings.
        public var sums: PressureSums
        /// At night, by day or neither, at its beginning.
        public var isNight: Bool?
    }

    /// The hours of the wall clock that hold a reading, ascending.
    public var hourly: [Hour] {
        let cut = CalendarCut(.hour, zone: zone)
        var found: [Hour] = []
        for point in points {
            let key = cut.key(at: point.time)
            if found.last?.start.seconds != key {
                let start = Timestamp(seconds: key)
                found.append(Hour(start: start, sums: PressureSums(), isNight: hours.isNight(wall: zone.wall(at: key))))
            }
            found[found.count - 1].sums.add(systolic: point.systolic.value, diastolic: point.diastolic.value, pulse: nil)
        }
        return found
    }
}

import CuffCore

/// Differences between day and night, and from one reading to the next.
extension AmbulatoryRecording {
    /// By how much the systolic mean falls at night, in the classes of ESC 2024: "night-to-day ratio of >0.9 and ≤1.0" is a reduced
    /// fall, "0.8 to 0.9" a normal one, "<0.8" an extreme one, "> 1.0" none.
    package enum Dipping: String, Sendable, Hashable, CaseIterable {
        case extremeDipper = "extreme_dipper", dipper
        case nonDipper = "non_dipper"
        case riser

        /// The class of a fall in percent, compared exactly.
        package init(fallInPercent fall: Fraction) {
            self = fall > Fraction(20) ? .extremeDipper : fall >= Fraction(10) ? .dipper : fall >= Fraction(0) ? .nonDipper : .riser
        }

        package static let document = GuidelineDocument.esc2024, evidence = Evidence.guideline
    }

    /// The ratio of the night's systolic mean to the day's; `nil` without either, or with a night of too few readings.
    var nightToDay: Fraction? {
        guard hasNight, let night = night.systolic, let day = day.systolic else { return nil }
        return night.divided(by: day)
    }

    /// 100 × (1 − night/day), of the mean systolic pressures.
    package var fallInPercent: Fraction? {
        nightToDay.flatMap { Fraction(1).subtracting($0)?.multiplied(by: Fraction(100)) }
    }

    /// The class of the fall of that one night; only of a valid recording.
    package var dipping: Dipping? { isValid ? fallInPercent.map(Dipping.init(fallInPercent:)) : nil }

    /// Means weighted by the hours of day and night, so that a part with more readings does not count more.
    package var byHours: (systolic: Fraction, diastolic: Fraction)? {
        guard hasNight else { return nil }
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
    package struct Surge: Sendable, Hashable {
        /// The mean of the two hours after waking, minus the mean of the lowest sleep reading and its neighbours.
        package var sleepTrough: Fraction?
        /// The lowest sleep reading and its neighbours, in the order of time.
        package var trough: [Fraction]
        /// The mean of the two hours after waking, minus that of the two hours before.
        package var preWaking: Fraction?
    }

    /// `nil` without a reading at night, or within two hours after waking.
    package var surge: Surge? {
        guard let asleep, let waking else { return nil }
        let window: Int64 = 7_200_000
        let after = points.filter { $0.time >= waking && $0.time.milliseconds < waking.milliseconds + window }
        let before = points.filter { $0.time < waking && $0.time.milliseconds >= waking.milliseconds - window }
        guard let high = Self.mean(after) else { return nil }
        let night = points.filter { $0.isNight == true && $0.time >= asleep && $0.time < waking }
        guard let lowest = night.indices.min(by: { (night[$0].systolic, $0) < (night[$1].systolic, $1) }) else { return nil }
        let trough = Array(night[max(0, lowest - 1)..<min(night.count, lowest + 2)])
        return Surge(
            sleepTrough: Self.mean(trough).flatMap { high.subtracting($0) }, trough: trough.map(\.systolic),
            preWaking: Self.mean(before).flatMap { high.subtracting($0) })
    }

    private static func mean(_ points: [Point]) -> Fraction? {
        points.isEmpty ? nil : Variability.sum(points.map(\.systolic))?.divided(by: Fraction(Int64(points.count)))
    }

    package struct Differing: Sendable, Hashable {
        /// Of all readings, of the day's and of the night's; `nil` for fewer than two.
        package var all: Variability?, day: Variability?, night: Variability?
        /// The standard deviations of day and night weighted by their hours, which excludes the fall at night.
        package var weightedDeviation: Double?
        /// The average real variability, each step weighted by the time it took.
        package var averageRealByTime: Fraction?
    }

    package var systolicDiffering: Differing { differing(\.systolic) }
    package var diastolicDiffering: Differing { differing(\.diastolic) }

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
    package struct Load: Sendable, Hashable {
        /// `ambulatoryDay`, `ambulatoryNight` or `ambulatory24h`.
        package var setting: PressureSetting
        /// Readings of the part; those that reach the systolic, and those that reach the diastolic threshold.
        package var readings: Int, systolic: Int, diastolic: Int
    }

    /// The loads for those parts that have a threshold in the guideline.
    package func loads(_ guideline: PressureGuideline) -> [Load] {
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

    package func sums(_ setting: PressureSetting) -> PressureSums? {
        switch setting {
        case .ambulatoryDay: day
        case .ambulatoryNight: night
        case .ambulatory24h: all
        case .home, .office: nil
        }
    }

    /// The mean of one part compared with a guideline; `nil` if the recording is not valid or there is no threshold. With a night of
    /// too few readings only the day is compared.
    package func judgement(_ guideline: PressureGuideline, _ setting: PressureSetting) -> Judgement? {
        guard isValid, hasNight || setting == .ambulatoryDay, guideline.thresholds[setting] != nil, let sums = sums(setting),
            sums.count > 1, let systolic = sums.systolic,
            let diastolic = sums.diastolic
        else { return nil }
        return Judgement(guideline, setting, systolic: systolic, diastolic: diastolic)
    }

    package struct Hour: Sendable, Hashable {
        package var start: Timestamp
        package var sums: PressureSums
        /// Night, day or neither, at its start.
        var isNight: Bool?
    }

    /// The hours of the wall clock that hold a reading, ascending.
    var hourly: [Hour] {
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

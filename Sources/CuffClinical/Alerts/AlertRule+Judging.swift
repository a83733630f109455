import CuffCore

extension AlertRule {
    /// The verdict of one reading; `nil` if the rule is not about readings.
    func verdict(on reading: Reading, _ pressure: BloodPressure) -> AlertTrack.Verdict? {
        switch trigger {
        case .values(let condition, let clear, _):
            let holds = condition.holds(for: pressure)
            if holds == true { return .meets }
            let isClear = clear.map { $0.holds(for: pressure) == true } ?? (holds == false)
            return isClear ? .clears : .neither
        case .irregularPulse: return reading.flags.contains(.irregularPulse) ? .meets : .clears
        case .silence: return nil
        }
    }

    var span: Duration {
        switch trigger {
        case .values(_, _, let repeated): repeated?.within ?? .seconds(3600)
        case .irregularPulse(_, _, let within): within
        case .silence: .zero
        }
    }

    /// The readings that raise or clear the alert after the one at `index` was added; `nil` if nothing changes.
    func basis(of index: Int, in track: AlertTrack) -> [AlertTrack.Seen]? {
        let reading = track.seen[index]
        let isNewest = index == track.seen.count - 1
        switch trigger {
        case .values(_, _, let repeated?):
            guard reading.verdict != .neither, let partner = track.partner(of: index, repeated) else { return nil }
            return [partner, reading].sorted { $0.time < $1.time }
        case .values(_, _, nil): return isNewest && reading.verdict != .neither ? [reading] : nil
        case .irregularPulse(let count, let all, _):
            guard isNewest else { return nil }
            let last = track.seen.suffix(all)
            let irregular = last.filter { $0.verdict == .meets }
            if reading.verdict == .meets { return irregular.count >= count ? irregular : nil }
            return last.count == all && irregular.count < count ? [reading] : nil
        case .silence: return nil
        }
    }
}

// MARK: Notices

extension AlertRule {
    func notice(
        _ change: AlertNotice.Change, _ reading: Reading, _ device: String, _ person: String?, _ pressure: BloodPressure,
        _ time: Timestamp, _ readings: [Reading.ID]
    ) -> AlertNotice {
        AlertNotice(
            id: id(change, readings, wall: reading.id.wallSeconds ?? time.seconds), change: change, rule: name, condition: condition,
            person: person, user: reading.user, time: time, offset: reading.measuredOffset, readings: readings, pressure: pressure,
            text: text(change, reading, device, person, pressure, time, of: readings.count))
    }

    /// The alert is cleared because one of its readings was deleted, or moved to another person. The person is not named.
    func withdrawn(_ standing: AlertTrack.Standing, _ origin: AlertTrack.Origin, _ now: Timestamp, isMoved: Bool) -> AlertEvent {
        let notice = AlertNotice(
            id: id(.cleared, standing.readings, wall: now.seconds), change: .cleared, rule: name, condition: condition, time: now,
            text: "\(heading) cleared: a reading it rested on \(isMoved ? "is another person's now" : "was deleted")")
        return .changed(notice, driver: origin.driver, device: origin.device)
    }

    /// Begins with `wall`; the rest is a hash of the contents, so that the same change has the same id. `plan` names the plan if there
    /// is no reading.
    func id(_ change: AlertNotice.Change, _ readings: [Reading.ID], wall: Int64, plan: String = "") -> Reading.ID {
        var text = TextBuffer(capacity: 64)
        text.append(hex: identity)
        text.append(string: change.rawValue)
        for reading in readings { text.append(reading) }
        text.append(decimal: readings.isEmpty ? wall : 0)
        text.append(string: plan)
        return Reading.ID(wallSeconds: wall, hash: XXHash64.hash(text.array.span))
    }

    var heading: String { "\(name) (\(condition))" }

    private func text(
        _ change: AlertNotice.Change, _ reading: Reading, _ device: String, _ person: String?, _ pressure: BloodPressure,
        _ time: Timestamp, of count: Int
    ) -> String {
        let value = "\(Int(pressure.systolic.inMmHg.rounded()))/\(Int(pressure.diastolic.inMmHg.rounded())) mmHg"
        let pulse = pressure.pulse.map { ", pulse \(Int($0.digits.value.rounded()))" } ?? ""
        let readings = count > 1 ? ", \(count) readings" : ""
        let who = person ?? reading.user.map { "user \($0)" }
        let cuff = device.isEmpty ? reading.driver.description : device
        return heading + (change == .cleared ? " cleared" : "")
            + ": \(value)\(pulse), \(Self.clock(time, reading.measuredOffset))\(readings)"
            + (who.map { ", \($0)" } ?? "") + ", \(cuff)"
    }

    /// `2026-05-05 07:31`
    static func clock(_ time: Timestamp, _ offset: Int16) -> String {
        String(TextBuffer.text { $0.append(local: time, offset: Int(offset)) }.prefix(16)).replacing("T", with: " ")
    }
}

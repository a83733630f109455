/// One number of a blood pressure, if an agent sends systolic, diastolic and mean as separate objects.
struct PHDPressurePart: Sendable, Hashable {
    /// `PHDMetric.systolic`, `diastolic` or `mean`.
    var term: UInt16
    var number: PHDNumber
    var unit: UInt16
}

/// Joins single numbers of pressure into one blood pressure, with the flag `joined`.
/// - Only numbers of one person and one time stamp are joined; without a stamp, only those of one report or stored entry.
/// - There must be one systolic and one diastolic in one unit of pressure. With two of either, none are joined.
/// - The id depends on the bytes of systolic and diastolic alone: a later mean amends the reading.
/// - A number without its other half is pending, and at the end of the association a quantity.
extension PHDJoiner {
    /// `reading` is the number as a separate reading, without a partner.
    mutating func add(part: PHDPressurePart, stamp: PHDStamp, reading: Reading) {
        var entry = Entry(kind: .part, stamp: stamp, reading: reading, report: report, seen: report)
        entry.part = part
        for index in entries.indices where entries[index].kind == .part && entries[index].part?.term == part.term {
            // A repetition, after a lost confirmation or within one report.
            if matches(entries[index], entry), entries[index].reading.raw == reading.raw { return }
        }
        entries.append(entry)
    }

    /// A mean that comes after its pressures were joined; accepted only once.
    private mutating func amends(_ entry: Entry, _ part: PHDPressurePart) -> Bool {
        for index in entries.indices
        where entries[index].kind == .pressure && entries[index].isJoined && matches(entries[index], entry) {
            guard case .bloodPressure(var pressure) = entries[index].reading.content,
                PHDObservation.pressureUnit(part.unit) == pressure.systolic.unit
            else { continue }
            guard entries[index].awaitsMean else {
                if pressure.mean?.digits == part.number.digits { return true }
                continue
            }
            pressure.mean = part.number.digits.map { Pressure($0, pressure.systolic.unit) }
            pressure.meanAbsence = part.number.absence
            touch(index)
            entries[index].awaitsMean = false
            entries[index].parts += 1
            entries[index].reading.content = .bloodPressure(pressure)
            entries[index].reading.flags.formUnion(entry.reading.flags)
            if !pressure.isPlausible { entries[index].reading.flags.insert(.implausible) }
            return true
        }
        return false
    }

    mutating func joinParts() {
        // Parts of earlier entries of a store were joined at their ends.
        var index = isStore ? entries.firstIndex { $0.report == report } ?? entries.endIndex : 0
        while index < entries.count {
            guard entries[index].kind == .part, entries[index].part?.term == PHDMetric.systolic, !entries[index].isAlone,
                let (systolic, diastolic, mean) = partners(of: index)
            else {
                index += 1
                continue
            }
            let count = entries.count
            let parts = (entries[systolic], entries[diastolic], mean.map { entries[$0] })
            for place in [systolic, diastolic, mean].compactMap({ $0 }).sorted(by: >) { entries.remove(at: place) }
            join(parts.0, parts.1, parts.2)
            // Later entries have moved up by at most the number removed, which includes a pulse and a status; the joined one was appended.
            index = max(0, index - max(2, count + 1 - entries.count))
        }
        // A mean without pressures in its own report may be that of earlier ones.
        for index in entries.indices.reversed() where entries[index].kind == .part && entries[index].seen == report {
            guard let part = entries[index].part else { continue }
            if part.term == PHDMetric.mean ? amends(entries[index], part) : isRepeated(entries[index], part) { entries.remove(at: index) }
        }
    }

    /// One half of a joined blood pressure, repeated after a lost confirmation. Without seconds it may be half of another measurement.
    private func isRepeated(_ entry: Entry, _ part: PHDPressurePart) -> Bool {
        guard entry.stamp.tellsSeconds else { return false }
        let raw = entry.reading.raw.array
        return entries.contains {
            guard $0.kind == .pressure, $0.isJoined, matches($0, entry) else { return false }
            let joined = $0.reading.raw.array
            return part.term == PHDMetric.systolic ? joined.starts(with: raw) : joined.suffix(raw.count).elementsEqual(raw)
        }
    }

    /// The one diastolic and the mean of this systolic; `nil` if either is missing or not unique.
    private func partners(of index: Int) -> (systolic: Int, diastolic: Int, mean: Int?)? {
        let unit = entries[index].part?.unit ?? 0
        guard PHDObservation.pressureUnit(unit) != nil else { return nil }
        func all(_ term: UInt16) -> [Int] {
            entries.indices.filter {
                entries[$0].kind == .part && entries[$0].part?.term == term && matches(entries[$0], entries[index])
            }
        }
        let diastolic = all(PHDMetric.diastolic)
        guard all(PHDMetric.systolic).count == 1, diastolic.count == 1, entries[diastolic[0]].part?.unit == unit else { return nil }
        let mean = all(PHDMetric.mean).filter { entries[$0].part?.unit == unit }
        return (index, diastolic[0], mean.count == 1 ? mean[0] : nil)
    }

    private mutating func join(_ systolic: Entry, _ diastolic: Entry, _ mean: Entry?) {
        guard let high = systolic.part, let low = diastolic.part, let unit = PHDObservation.pressureUnit(high.unit) else { return }
        let own = systolic.reading
        let flags = own.flags.union(diastolic.reading.flags).union(mean?.reading.flags ?? []).union(.joined)
        func reading(_ content: Reading.Content) -> Reading {
            Reading(
                content, driver: "phd", user: own.user, flags: flags, clock: own.clock, origin: own.origin, sequence: own.sequence,
                raw: RawBytes(own.raw.array + diastolic.reading.raw.array))
        }
        let parts = [systolic, diastolic] + (mean.map { [$0] } ?? [])
        switch PHDObservation.Pressures(high.number, low.number, mean: mean?.part?.number, unit) {
        case .bloodPressure(let pressure):
            let joined = reading(.bloodPressure(pressure))
            add(pressure: joined, stamp: systolic.stamp)
            guard let last = entries.indices.last, entries[last].kind == .pressure, entries[last].reading.raw == joined.raw else { return }
            entries[last].isJoined = true
            entries[last].awaitsMean = mean == nil
            entries[last].isTouched = true
            if parts.contains(where: { $0.report != report || $0.isPendingOut }) { entries[last].isSplit = true }
        case .failure(let failure):
            add(failure: reading(.failure(failure)), stamp: systolic.stamp)
            for var part in parts where part.part?.number.digits != nil {
                part.isAlone = true
                part.isTouched = true
                entries.append(part)
            }
        case .other: break
        }
    }
}

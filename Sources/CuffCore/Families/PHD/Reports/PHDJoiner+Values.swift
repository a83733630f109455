/// Pulses and statuses, and the pressures to which they belong.
extension PHDJoiner {
    /// What the entries of one stamp and person say about a pulse or status that arrives.
    private struct Finding {
        /// The first pressures of this report that lack it.
        var place: Int?
        /// Older pressures lack it.
        var lacksOlder = false
        /// Older pressures lack it, or an older value waits: decided at the end of the report.
        var isContested = false
        /// An earlier report brought the same value.
        var isRepeated = false
        /// This report has the same value: it belongs to pressures that follow, or is listed twice.
        var isListed = false
        /// It repeats the value of pressures that were repeated in this report.
        var isConsumed = false
        /// Repeated pressures with another pulse.
        var listedAgain: Int?
        var failure: Int?
    }

    /// `reading` is the pulse as a separate reading, made only if needed.
    mutating func add(pulse: PHDNumber, flags: MeasurementFlags, user: Int32?, stamp: PHDStamp, alone reading: () -> Reading) {
        let found = find(.pulse, stamp, user) { $0.pulse == pulse }
        if let place = found.place {
            touch(place)
            return attach(pulse, flags, to: &entries[place])
        }
        if found.isConsumed { return }
        if !found.lacksOlder {
            // After a lost confirmation.
            if found.isRepeated { return }
            if let listedAgain = found.listedAgain { return addAgain(listedAgain, pulse, flags) }
        }
        var entry = Entry(kind: .pulse, stamp: stamp, reading: reading(), report: report, seen: report)
        entry.pulse = pulse
        entry.isAlone = found.failure != nil
        (entry.isContested, entry.isDispensable) = (found.isContested, found.isListed)
        append(entry)
    }

    mutating func add(status: UInt16, flags: MeasurementFlags, user: Int32?, stamp: PHDStamp, alone reading: () -> Reading) {
        let found = find(.status, stamp, user) { $0.status == status }
        if let place = found.place {
            touch(place)
            return attach(status: status, flags, to: &entries[place])
        }
        if let failure = found.failure {
            return entries[failure].reading.flags.formUnion(PHDObservation.flags(pressureStatus: status).union(flags))
        }
        if found.isConsumed || found.isRepeated && !found.lacksOlder { return }
        var entry = Entry(kind: .status, stamp: stamp, reading: reading(), report: report, seen: report)
        entry.status = status
        (entry.isContested, entry.isDispensable) = (found.isContested, found.isListed)
        append(entry)
    }

    /// Ends with the first pressures of this report that lack the value, if no older ones do.
    private mutating func find(_ kind: Kind, _ stamp: PHDStamp, _ user: Int32?, hasValue: (Entry) -> Bool) -> Finding {
        var found = Finding()
        let isMatchable = !isStore && stamp.isMatchable
        for index in entries.indices
        where entries[index].stamp == stamp && entries[index].reading.user == user
            && (isMatchable || entries[index].report == report)
        {
            let isOwn = entries[index].seen == report
            switch entries[index].kind {
            case .pressure where !has(kind, index):
                guard isOwn else {
                    (found.lacksOlder, found.isContested) = (true, true)
                    continue
                }
                guard found.isContested else {
                    found.place = index
                    return found
                }
            case .pressure where hasValue(entries[index]):
                if kind == .pulse, entries[index].isListedAgain {
                    entries[index].isListedAgain = false
                    found.isConsumed = true
                    return found
                }
                if entries[index].report == report { found.isListed = true } else { found.isRepeated = true }
            case .pressure:
                if entries[index].isListedAgain { found.listedAgain = found.listedAgain ?? index }
            case kind:
                found.isContested = found.isContested || !isOwn
                guard hasValue(entries[index]) else { continue }
                if isOwn { found.isListed = true } else { found.isRepeated = true }
            case .failure: found.failure = found.failure ?? index
            case .pulse, .status, .part: break
            }
        }
        return found
    }

    private func has(_ kind: Kind, _ index: Int) -> Bool {
        kind == .pulse ? entries[index].pulse != nil : entries[index].status != nil
    }

    /// The end of the report: what earlier reports left over is joined, and what is listed twice is removed.
    mutating func joinReports() {
        var isSearched = false
        for index in entries.indices where entries[index].kind == .pulse || entries[index].kind == .status {
            if entries[index].isContested || entries[index].seen != report { joinGroup(of: index) }
            isSearched = true
        }
        if isSearched { entries.removeAll { $0.isDispensable } }
    }

    /// Pressures and pulses (or statuses) of this report belong together if they are equally many. Otherwise they are joined in order with
    /// those of earlier reports, if these together are equally many or this report has only one of the two kinds. In all other cases it is
    /// not certain which belong together, and they wait.
    private mutating func joinGroup(of index: Int) {
        let kind = entries[index].kind
        let group = entries.indices.filter { matches(entries[$0], entries[index]) }
        let pressures = group.filter { entries[$0].kind == .pressure && !has(kind, $0) }
        let values = group.filter { entries[$0].kind == kind && !entries[$0].isAlone && !entries[$0].isFinalOut }
        let own = (pressures.filter { entries[$0].seen == report }, values.filter { entries[$0].seen == report })
        if own.0.count == own.1.count {
            join(own.0, own.1)
        } else if pressures.count == values.count || own.0.isEmpty || own.1.isEmpty {
            join(pressures, values)
        }
    }

    private mutating func join(_ pressures: [Int], _ values: [Int]) {
        for (place, index) in zip(pressures, values) {
            let value = entries[index]
            touch(place)
            if value.report != report { entries[place].isSplit = true }
            if let pulse = value.pulse { attach(pulse, value.reading.flags, to: &entries[place]) }
            if let status = value.status { attach(status: status, value.reading.flags, to: &entries[place]) }
            (entries[index].isAlone, entries[index].isDispensable) = (true, true)
        }
    }

    mutating func touch(_ index: Int) {
        entries[index].isTouched = true
        if entries[index].report != report { entries[index].isSplit = true }
    }

    func attach(_ pulse: PHDNumber, _ flags: MeasurementFlags, to entry: inout Entry) {
        entry.pulse = pulse
        entry.parts += 1
        entry.reading.flags.formUnion(flags)
        guard case .bloodPressure(var pressure) = entry.reading.content else { return }
        pressure.pulse = pulse.digits.map { PulseRate($0) }
        pressure.pulseAbsence = pulse.absence
        entry.reading.content = .bloodPressure(pressure)
        if !pressure.isPlausible { entry.reading.flags.insert(.implausible) }
    }

    /// `flags` apply to the status itself: an invalid one makes the measurement doubtful.
    func attach(status: UInt16, _ flags: MeasurementFlags, to entry: inout Entry) {
        entry.status = status
        entry.parts += 1
        entry.reading.flags.formUnion(PHDObservation.flags(pressureStatus: status).union(flags))
    }
}

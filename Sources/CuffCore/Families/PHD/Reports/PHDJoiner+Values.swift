/// Pulses and statuses, and the pressures to which they belong.
extension PHDJoiner {
    enum Value: Sendable, Equatable {
        case pulse(PHDNumber)
        case status(UInt16)

        var kind: Kind { if case .pulse = self { .pulse } else { .status } }
        var isAbsent: Bool { if case .pulse(.absent) = self { true } else { false } }
    }

    mutating func add(pulse: PHDNumber, flags: MeasurementFlags, user: Int32?, stamp: PHDStamp, alone reading: () -> Reading) {
        add(.pulse(pulse), flags: flags, user: user, stamp: stamp, alone: reading)
    }

    /// Attaches the value to the first pressures of this report that lack it, if no older ones do. `reading` is the value as a separate
    /// reading, made only if needed.
    mutating func add(_ value: Value, flags: MeasurementFlags, user: Int32?, stamp: PHDStamp, alone reading: () -> Reading) {
        let isMatchable = !isStore && stamp.isMatchable
        // Older pressures lack it; or an older value waits too, and it is decided at the end of the report.
        var (lacksOlder, isContested) = (false, false)
        // An earlier report brought the same value; this one has it: it belongs to pressures that follow, or is listed twice.
        var (isRepeated, isListed) = (false, false)
        var failure: Int?
        var listedAgain: Int?
        for index in entries.indices
        where entries[index].stamp == stamp && entries[index].reading.user == user
            && (isMatchable || entries[index].report == report)
        {
            let isOwn = entries[index].seen == report
            switch entries[index].kind {
            case .pressure where entries[index].lacks(value):
                if !isOwn {
                    (lacksOlder, isContested) = (true, true)
                } else if !isContested {
                    touch(index)
                    return attach(value, flags, to: &entries[index])
                }
            case .pressure where entries[index].has(value):
                if value.kind == .pulse, entries[index].isListedAgain {
                    // Of pressures that were repeated in this report.
                    entries[index].isListedAgain = false
                    return
                }
                if entries[index].report == report { isListed = true } else { isRepeated = true }
            case .pressure: if entries[index].isListedAgain { listedAgain = listedAgain ?? index }
            case value.kind:
                isContested = isContested || !isOwn
                guard entries[index].value == value else { continue }
                if isOwn { isListed = true } else { isRepeated = true }
            case .failure: failure = failure ?? index
            case .pulse, .status, .part: break
            }
        }
        if case .status(let status) = value, let failure {
            return entries[failure].reading.flags.formUnion(PHDObservation.flags(pressureStatus: status).union(flags))
        }
        if !lacksOlder {
            // After a lost confirmation.
            if isRepeated { return }
            if case .pulse(let pulse) = value, let listedAgain { return addAgain(listedAgain, pulse, flags) }
        }
        var entry = Entry(kind: value.kind, stamp: stamp, reading: reading(), report: report, seen: report)
        entry.value = value
        entry.isAlone = failure != nil
        (entry.isContested, entry.isDispensable) = (isContested, isListed)
        entries.append(entry)
    }

    /// The end of the report: what earlier reports left over is joined, and what is listed twice is removed.
    mutating func joinReports() {
        var isSearched = false
        for index in entries.indices {
            guard let value = entries[index].value else { continue }
            if entries[index].isContested || entries[index].seen != report { joinGroup(of: index, value) }
            isSearched = true
        }
        if isSearched { entries.removeAll { $0.isDispensable } }
    }

    /// Pressures and pulses (or statuses) of this report belong together if they are equally many. Otherwise they are joined in order with
    /// those of earlier reports, if these together are equally many or this report has only one of the two kinds. In all other cases it is
    /// not certain which belong together, and they wait.
    private mutating func joinGroup(of index: Int, _ value: Value) {
        let group = entries.indices.filter { matches(entries[$0], entries[index]) }
        let pressures = group.filter { entries[$0].kind == .pressure && entries[$0].lacks(value) }
        let values = group.filter { entries[$0].kind == value.kind && !entries[$0].isAlone && !entries[$0].isFinalOut }
        let own = (pressures.filter { entries[$0].seen == report }, values.filter { entries[$0].seen == report })
        if own.0.count == own.1.count {
            join(own.0, own.1)
        } else if pressures.count == values.count || own.0.isEmpty || own.1.isEmpty {
            join(pressures, values)
        }
    }

    private mutating func join(_ pressures: [Int], _ values: [Int]) {
        for (place, index) in zip(pressures, values) {
            let entry = entries[index]
            touch(place)
            if entry.report != report { entries[place].isSplit = true }
            if let value = entry.value { attach(value, entry.reading.flags, to: &entries[place]) }
            (entries[index].isAlone, entries[index].isDispensable) = (true, true)
        }
    }

    mutating func touch(_ index: Int) {
        entries[index].isTouched = true
        if entries[index].report != report { entries[index].isSplit = true }
    }

    /// `flags` apply to the value itself: an invalid one makes the measurement doubtful.
    func attach(_ value: Value, _ flags: MeasurementFlags, to entry: inout Entry) {
        entry.parts += 1
        entry.reading.flags.formUnion(flags)
        switch value {
        case .status(let status):
            entry.status = status
            entry.reading.flags.formUnion(PHDObservation.flags(pressureStatus: status))
        case .pulse(let pulse):
            entry.pulse = pulse
            guard case .bloodPressure(var pressure) = entry.reading.content else { return }
            pressure.pulse = pulse.digits.map { PulseRate($0) }
            pressure.pulseAbsence = pulse.absence
            entry.reading.content = .bloodPressure(pressure)
            if !pressure.isPlausible { entry.reading.flags.insert(.implausible) }
        }
    }
}

extension PHDJoiner.Entry {
    func lacks(_ value: PHDJoiner.Value) -> Bool { if case .pulse = value { pulse == nil } else { status == nil } }

    func has(_ value: PHDJoiner.Value) -> Bool {
        switch value {
        case .pulse(let pulse): self.pulse == pulse
        case .status(let status): self.status == status
        }
    }
}

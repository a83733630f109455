extension PHDJoiner {
    /// The same measurement listed again in one report: adds what is new. `false` if it is another one.
    mutating func relist(_ index: Int, _ reading: Reading) -> Bool {
        guard case .bloodPressure(var known) = entries[index].reading.content, case .bloodPressure(let again) = reading.content,
            known.systolic == again.systolic, known.diastolic == again.diastolic,
            known.mean == nil || again.mean == nil || known.mean == again.mean
        else { return false }
        if known.mean == nil, again.mean != nil {
            (known.mean, known.meanAbsence) = (again.mean, again.meanAbsence)
            entries[index].reading.content = .bloodPressure(known)
        }
        entries[index].ownFlags.formUnion(reading.flags)
        entries[index].reading.flags.formUnion(reading.flags)
        entries[index].isListedAgain = true
        return true
    }

    /// A different pulse for pressures that were repeated.
    mutating func addAgain(_ index: Int, _ pulse: PHDNumber, _ flags: MeasurementFlags) {
        entries[index].isListedAgain = false
        guard pulse.digits != nil else { return }
        guard entries[index].pulse?.digits != nil else {
            touch(index)
            return attach(.pulse(pulse), flags, to: &entries[index])
        }
        let first = entries[index]
        guard case .bloodPressure(var pressure) = first.reading.content else { return }
        (pressure.pulse, pressure.pulseAbsence) = (nil, .none)
        var entry = Entry(kind: .pressure, stamp: first.stamp, reading: first.reading, report: report, seen: report)
        entry.ownFlags = first.ownFlags
        entry.isJoined = first.isJoined
        entry.reading.content = .bloodPressure(pressure)
        entry.reading.flags = first.ownFlags
        entry.reading.isPending = false
        entry.reading.revision = 0
        entry.reading.occurrence = 0
        attach(.pulse(pulse), flags, to: &entry)
        entries.append(entry)
    }

    /// Equal pressures of one report with different pulses are distinct; only those with the same pulse need a number.
    mutating func numberEquals() {
        for index in entries.indices where entries[index].reading.occurrence > 0 && entries[index].isTouched && !entries[index].isPendingOut
        {
            guard let pulse = entries[index].pulse, pulse.digits != nil else { continue }
            let equals = entries[..<index].filter {
                $0.kind == .pressure && $0.stamp == entries[index].stamp && $0.reading.user == entries[index].reading.user
                    && $0.reading.raw == entries[index].reading.raw && $0.pulse == pulse
            }
            entries[index].reading.occurrence = UInt16(truncatingIfNeeded: equals.count)
        }
    }
}

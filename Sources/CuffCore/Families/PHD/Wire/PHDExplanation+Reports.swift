extension PHDExplanation {
    mutating func eventReport(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ tree: inout PHDTree) {
        var offset = start
        var type: UInt16?
        let handle = bytes.bigEndian16(start) ?? 0
        tree.nested {
            $0.word(bytes, &offset, "obj-handle")
            $0.long(bytes, &offset, "event-time") { $0 == 0xFFFF_FFFF ? "none" : "\($0) ticks" }
            type = $0.word(bytes, &offset, "event-type") { "\(PHDNames.event($0))" }
            guard let length = $0.word(bytes, &offset, "event-info length") else { return type = nil }
            if offset + Int(length) != end { $0.malformed(bytes, offset - 2, "\(end - offset) bytes follow") }
        }
        guard let type else { return }
        if type == PHDEvent.configuration {
            if let found = PHDConfiguration(bytes.extracting(min(offset + 2, end)..<end)) { configuration = found }
            Self.configurationReport(bytes, &offset, end, &tree)
        } else if type == PHDEvent.segmentData {
            segmentData(bytes, &offset, end, &tree)
        } else if let shape = PHDEvent.shape(type) {
            scanReport(shape, handle, bytes, &offset, end, &tree)
        } else {
            tree.nested { $0.field(bytes, offset, end - offset, "event-info") }
        }
    }

    private static func configurationReport(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, _ tree: inout PHDTree) {
        tree.nested { tree in
            tree.word(bytes, &offset, "config-report-id")
            guard let list = tree.list(bytes, &offset, end, "config-obj-list") else { return }
            tree.nested { tree in
                for _ in 0..<list.count {
                    tree.word(bytes, &offset, "obj-class") { "\($0) \(PHDNames.objectClass($0))" }
                    guard tree.word(bytes, &offset, "obj-handle") != nil else { return }
                    guard attributes(bytes, &offset, list.end, "attributes", &tree) else { return }
                }
            }
        }
    }

    func segmentData(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, _ tree: inout PHDTree) {
        tree.nested { tree in
            let instance = bytes.bigEndian16(offset)
            let index = bytes.bigEndian32(offset + 2) ?? 0
            let count = bytes.bigEndian32(offset + 6) ?? 0
            Self.segmentHead(bytes, &offset, &tree)
            tree.word(bytes, &offset, "entries length")
            guard let instance, let segment = segments[instance], segment.isDecodable else {
                return tree.field(bytes, offset, end - offset, "entries", "of a segment without a description")
            }
            for number in 0..<min(Int(count), 4096) {
                var found: [PHDObservation] = []
                let from = offset
                guard segment.read(bytes, &offset, end, number: index &+ UInt32(number), into: &found) else {
                    return tree.malformed(bytes, offset, "the entries end before their count")
                }
                let place = index &+ UInt32(number)
                tree.field(bytes, from, segment.entrySize, "entry \(place)", found.first.map { Self.text($0.stamp) } ?? "none")
                tree.nested {
                    for observation in found {
                        $0.field(
                            bytes, observation.value, observation.length, "handle \(observation.handle)",
                            Self.value(observation, segment.elements[observation.object], configuration?.metrics ?? [], bytes))
                    }
                }
            }
        }
    }

    private func scanReport(
        _ shape: PHDEvent.Shape, _ handle: UInt16, _ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, _ tree: inout PHDTree
    ) {
        let configuration = configuration ?? PHDConfiguration()
        tree.nested { tree in
            tree.word(bytes, &offset, "data-req-id") { $0 == 0xF000 ? "agent-initiated" : "\($0)" }
            tree.word(bytes, &offset, "scan-report-no")
            var found: [PHDObservation] = []
            let scanner = configuration.scanners.firstIndex { $0.handle == handle }
            let isRead = PHDReport.read(shape, configuration, scanner: scanner, bytes, offset, end, into: &found)
            var rest = found[...]
            if isRead { lists(shape, configuration, bytes, offset, end, &rest, &tree) }
            for observation in rest { Self.show(observation, configuration, bytes, &tree) }
            if !isRead { tree.malformed(bytes, offset, "counts and lengths of the report disagree") }
        }
    }

    /// The lists around the observations of a report, with persons and observations.
    private func lists(
        _ shape: PHDEvent.Shape, _ configuration: PHDConfiguration, _ bytes: Span<UInt8>, _ start: Int, _ end: Int,
        _ rest: inout ArraySlice<PHDObservation>, _ tree: inout PHDTree
    ) {
        var at = start
        guard shape.hasPersons else {
            if let list = tree.list(bytes, &at, end, "obs-scan-list") {
                Self.items(list, shape, configuration, bytes, &at, &rest, &tree)
            }
            return
        }
        guard let persons = tree.list(bytes, &at, end, "scan-per-list") else { return }
        for _ in 0..<persons.count where at < persons.end {
            tree.word(bytes, &at, "person-id")
            if shape.body == .grouped {
                Self.items((1, persons.end), shape, configuration, bytes, &at, &rest, &tree)
            } else if let list = tree.list(bytes, &at, persons.end, "obs-scan-list") {
                Self.items(list, shape, configuration, bytes, &at, &rest, &tree)
            }
        }
    }

    private static func items(
        _ list: (count: Int, end: Int), _ shape: PHDEvent.Shape, _ configuration: PHDConfiguration, _ bytes: Span<UInt8>,
        _ at: inout Int, _ rest: inout ArraySlice<PHDObservation>, _ tree: inout PHDTree
    ) {
        // A group: u16 length. Fixed: u16 handle, u16 length. Variable: u16 handle, u16 count, u16 length.
        let head = shape.body == .grouped ? 2 : shape.body == .fixed ? 4 : 6
        for _ in 0..<list.count where at < list.end {
            if shape.body == .grouped { tree.field(bytes, at, 2, "length", "\(bytes.bigEndian16(at) ?? 0)") }
            at += head + Int(bytes.bigEndian16(at + head - 2) ?? 0)
            while let next = rest.first, next.raw.lowerBound < at {
                show(next, configuration, bytes, &tree)
                rest.removeFirst()
            }
        }
    }

    private static func show(
        _ observation: PHDObservation, _ configuration: PHDConfiguration, _ bytes: Span<UInt8>, _ tree: inout PHDTree
    ) {
        let person = observation.person.map { "person \($0), " } ?? ""
        guard observation.object >= 0, !observation.isCut else {
            return tree.field(
                bytes, observation.raw.lowerBound, observation.raw.count, "observation",
                "\(person)handle \(observation.handle): not in the configuration that was seen")
        }
        let object = configuration.objects[observation.object]
        tree.field(
            bytes, observation.raw.lowerBound, observation.raw.count, "observation",
            "\(person)handle \(observation.handle), \(PHDTree.term(object.partition, object.term))")
        tree.nested {
            $0.field(bytes, observation.value, observation.length, "value", value(observation, object, configuration.metrics, bytes))
            if !observation.stampPlaces.isEmpty {
                $0.field(bytes, observation.stampPlaces.lowerBound, observation.stampPlaces.count, "time", text(observation.stamp))
            }
            if observation.status != 0 { $0.note("status: \(PHDNames.bits(observation.status, PHDNames.measurementStatus))") }
            if observation.hasTrailingBytes { $0.note("bytes beyond the map") }
        }
    }

    /// A count is shown unchanged: its time depends on the agent's steps.
    static func text(_ stamp: PHDStamp) -> String {
        switch stamp.kind {
        case .relative: stamp.isMatchable ? "\(stamp.bits) ticks" : "none"
        case .highResolution: "\(stamp.bits) µs"
        case .none, .absolute, .baseOffset: PHDTree.text(stamp.clock)
        }
    }

    static func value(_ observation: PHDObservation, _ object: PHDConfiguration.Object, _ metrics: [UInt16], _ bytes: Span<UInt8>)
        -> String
    {
        if observation.isCompound {
            let parts = (0..<min(observation.count, 16)).map { index in
                let metric = observation.metric(index, bytes, object, metrics)
                let name =
                    metric == PHDMetric.systolic
                    ? "systolic "
                    : metric == PHDMetric.diastolic ? "diastolic " : metric == PHDMetric.mean ? "mean " : metric.map { "\($0) " } ?? ""
                return name + PHDTree.text(observation.component(index, bytes))
            }
            return parts.joined(separator: ", ") + " " + PHDTree.unit(observation.unit(0, bytes, object))
        }
        if let bits = observation.bits(bytes) {
            return object.role == .pressureStatus
                ? PHDNames.bits(UInt16(truncatingIfNeeded: bits), PHDNames.pressureStatus) : PHDTree.hex32(bits)
        }
        guard observation.attribute != 0 else { return "none" }
        return PHDTree.text(observation.number(bytes)) + " " + PHDTree.unit(observation.unit(0, bytes, object))
    }
}

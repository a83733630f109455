/// Event reports.
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
                return tree.field(bytes, offset, end - offset, "entries", "of a segment that nobody described")
            }
            for number in 0..<min(Int(count), 4096) {
                var found: [PHDObservation] = []
                let from = offset
                guard segment.read(bytes, &offset, end, number: index &+ UInt32(number), into: &found) else {
                    return tree.malformed(bytes, offset, "the entries end before their count")
                }
                tree.field(bytes, from, segment.entrySize, "entry \(number)", PHDTree.text(found.first?.stamp.clock ?? .absent))
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
            for observation in found {
                let person = observation.person.map { "person \($0), " } ?? ""
                guard observation.object >= 0, !observation.isCut else {
                    tree.field(
                        bytes, observation.raw.lowerBound, observation.raw.count, "observation",
                        "\(person)handle \(observation.handle): not in the configuration that was seen")
                    continue
                }
                let object = configuration.objects[observation.object]
                tree.field(
                    bytes, observation.raw.lowerBound, observation.raw.count, "observation",
                    "\(person)handle \(observation.handle), \(PHDTree.term(object.partition, object.term))")
                tree.nested {
                    $0.field(
                        bytes, observation.value, observation.length, "value", Self.value(observation, object, configuration.metrics, bytes)
                    )
                    if observation.stamp.kind != .none { $0.note("time: \(Self.text(observation.stamp))") }
                    if observation.status != 0 { $0.note("status: \(PHDNames.bits(observation.status, PHDNames.measurementStatus))") }
                    if observation.hasTrailingBytes { $0.note("bytes beyond the map") }
                }
            }
            if !isRead { tree.malformed(bytes, offset, "counts and lengths of the report disagree") }
        }
    }

    static func text(_ stamp: PHDStamp) -> String {
        stamp.ticks.map { "\($0) ticks" } ?? PHDTree.text(stamp.clock)
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

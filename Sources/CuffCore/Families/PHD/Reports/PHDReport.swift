/// Parses the observations of an event report in its six forms.
enum PHDReport {
    /// The largest body of an APDU over the shortest value, 64508 / 2; attributes of length zero would allow more.
    static let ceiling = 32254

    /// Appends the observations between `start` (behind data-req-id and scan-report-no) and `end`; `false` if any counts and lengths
    /// disagree. `scanner` is the index of the sending scanner, if any.
    static func read(
        _ shape: PHDEvent.Shape, _ configuration: borrowing PHDConfiguration, scanner: Int?, _ bytes: Span<UInt8>,
        _ start: Int, _ end: Int, into observations: inout [PHDObservation]
    ) -> Bool {
        var offset = start
        let most = observations.count &+ ceiling
        guard shape.hasPersons else {
            return scan(shape.body, configuration, scanner, nil, bytes, &offset, end, most, into: &observations) && offset == end
        }
        guard let persons = PHDList.open(bytes, &offset, end), persons.end == end else { return false }
        for _ in 0..<persons.count {
            guard let person = bytes.bigEndian16(offset) else { return false }
            offset += 2
            if shape.body == .grouped {
                guard group(configuration, scanner, person, bytes, &offset, end, most, into: &observations) else { return false }
            } else {
                guard scan(shape.body, configuration, scanner, person, bytes, &offset, end, most, into: &observations)
                else { return false }
            }
        }
        return offset == end
    }

    private static func scan(
        _ body: PHDEvent.Shape.Body, _ configuration: borrowing PHDConfiguration, _ scanner: Int?, _ person: UInt16?,
        _ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, _ most: Int, into observations: inout [PHDObservation]
    ) -> Bool {
        guard let list = PHDList.open(bytes, &offset, end) else { return false }
        for _ in 0..<list.count {
            let isRead: Bool
            switch body {
            case .fixed: isRead = fixed(configuration, person, bytes, &offset, list.end, into: &observations)
            case .variable: isRead = variable(configuration, person, bytes, &offset, list.end, into: &observations)
            case .grouped: isRead = group(configuration, scanner, person, bytes, &offset, list.end, most, into: &observations)
            }
            guard isRead, observations.count <= most else { return false }
        }
        return offset == list.end
    }

    private static func fixed(
        _ configuration: borrowing PHDConfiguration, _ person: UInt16?, _ bytes: Span<UInt8>, _ offset: inout Int,
        _ end: Int, into observations: inout [PHDObservation]
    ) -> Bool {
        guard offset &+ 4 <= end, let head = bytes.bigEndian32(offset) else { return false }
        let handle = UInt16(truncatingIfNeeded: head >> 16)
        let start = offset
        let limit = offset &+ 4 &+ Int(head & 0xFFFF)
        guard limit <= end else { return false }
        let index = configuration.index(of: handle) ?? -1
        var observation = PHDObservation(handle: handle, object: index, person: person)
        offset &+= 4
        if index >= 0 {
            let map = configuration.objects[index].map
            guard observation.cut(configuration.items, map, bytes, &offset, limit) else { return false }
            if map.isEmpty { observation.isCut = true }
            observation.hasTrailingBytes = offset < limit
        }
        observation.raw = start..<limit
        offset = limit
        observations.append(observation)
        return true
    }

    private static func variable(
        _ configuration: borrowing PHDConfiguration, _ person: UInt16?, _ bytes: Span<UInt8>, _ offset: inout Int,
        _ end: Int, into observations: inout [PHDObservation]
    ) -> Bool {
        guard let handle = bytes.bigEndian16(offset) else { return false }
        let start = offset
        offset += 2
        var observation = PHDObservation(handle: handle, object: configuration.index(of: handle) ?? -1, person: person)
        guard PHDList.attributes(bytes, &offset, end, { observation.read($0, bytes, $1, $2) }) else { return false }
        observation.raw = start..<offset
        observations.append(observation)
        return true
    }

    /// One octet string with the values of all objects of the scanner's map, in its order and without handles.
    private static func group(
        _ configuration: borrowing PHDConfiguration, _ scanner: Int?, _ person: UInt16?, _ bytes: Span<UInt8>,
        _ offset: inout Int, _ end: Int, _ most: Int, into observations: inout [PHDObservation]
    ) -> Bool {
        guard offset + 2 <= end, let length = bytes.bigEndian16(offset) else { return false }
        offset += 2
        let limit = offset + Int(length)
        guard limit <= end else { return false }
        if let scanner, configuration.scanners[scanner].groups.isEmpty, offset < limit {
            // Without a map it cannot be decoded, as in a fixed report.
            var observation = PHDObservation(handle: configuration.scanners[scanner].handle, object: -1, person: person)
            observation.isCut = true
            observation.raw = offset..<limit
            observations.append(observation)
        }
        for part in scanner.map({ configuration.scanners[$0].groups }) ?? [] {
            guard observations.count < most else { return false }
            let start = offset
            var observation = PHDObservation(handle: part.handle, object: configuration.index(of: part.handle) ?? -1, person: person)
            observation.lacksHandle = true
            guard observation.cut(configuration.items, part.map, bytes, &offset, limit) else { return false }
            observation.raw = start..<offset
            observations.append(observation)
            if observation.isCut { break }
        }
        if offset < limit, let last = observations.indices.last { observations[last].hasTrailingBytes = true }
        offset = limit
        return true
    }
}

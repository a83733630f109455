/// Values with parts. Layouts: docs/PHD.md §4.4, §7.1 and §8.1.
extension PHDExplanation {
    /// Shown parts of one value: more than any agent in the sources has.
    private static let partCeiling = 32

    /// A SEQUENCE OF, item by item; mentions what `item` cannot parse and what exceeds the limit.
    private static func list(
        _ bytes: Span<UInt8>, _ start: Int, _ end: Int, separator: String = ", ",
        _ item: (_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int) -> String?
    ) -> String {
        var offset = start
        guard let list = PHDList.open(bytes, &offset, end) else { return "a list that is longer than what holds it" }
        var parts: [String] = []
        for _ in 0..<min(list.count, partCeiling) {
            guard offset < list.end, let part = item(bytes, &offset, list.end) else {
                parts.append("a list that ends before its count")
                break
            }
            parts.append(part)
        }
        if list.count > partCeiling { parts.append("…") }
        return parts.isEmpty ? "none" : parts.joined(separator: separator)
    }

    /// System-Model: manufacturer, then model.
    static func model(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String {
        var offset = start
        let maker = PHDDeviceFacts.text(bytes, &offset, end) ?? ""
        return "\"\(maker)\", \"\(PHDDeviceFacts.text(bytes, &offset, end) ?? "")\""
    }

    /// Production-Specification: u16 kind, u16 component, octets.
    static func production(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String {
        list(bytes, start, end) { bytes, offset, end in
            guard let kind = bytes.bigEndian16(offset), let size = bytes.bigEndian16(offset + 4), offset + 6 + Int(size) <= end else {
                return nil
            }
            offset += 4
            return "\(PHDNames.production(kind)) \"\(PHDDeviceFacts.text(bytes, &offset, end) ?? "")\""
        }
    }

    /// System-Type-Spec-List: u16 specialization, u16 version.
    static func specializations(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String {
        list(bytes, start, end) { bytes, offset, _ in
            guard let code = bytes.bigEndian16(offset), let version = bytes.bigEndian16(offset + 2) else { return nil }
            offset += 4
            return (PHDDeviceType.profile(code).map { "\(code) \($0.name)" } ?? "\(code)") + " version \(version)"
        }
    }

    static func types(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String {
        list(bytes, start, end) { bytes, offset, _ in
            guard let partition = bytes.bigEndian16(offset), let code = bytes.bigEndian16(offset + 2) else { return nil }
            offset += 4
            return PHDTree.term(partition, code)
        }
    }

    /// Metric-Structure-Small: u8 structure, u8 count.
    static func structure(_ word: UInt16) -> String {
        let names = ["simple", "compound", "reserved", "compound-fix"]
        let kind = Int(word >> 8)
        let count = word & 0xFF
        return "\(names.indices.contains(kind) ? names[kind] : "structure \(kind)"), \(count) component\(count == 1 ? "" : "s")"
    }

    /// Mds-Time-Info: u16 capabilities, u16 protocol, u32 accuracy, u16 absolute, u16 relative, u32 high resolution.
    static func timeInfo(_ bytes: Span<UInt8>, _ offset: Int) -> String {
        let protocols: [UInt16: String] = [
            0x1F00: "none", 0x1F01: "NTPv3", 0x1F02: "NTPv4", 0x1F03: "SNTP", 0x1F04: "SNTP", 0x1F05: "Bluetooth",
        ]
        let sync = bytes.bigEndian16(offset + 2) ?? 0
        return PHDNames.bits(bytes.bigEndian16(offset) ?? 0, PHDNames.timeCapability)
            + "; synchronised by \(protocols[sync] ?? PHDTree.hex16(sync)); steps of \(bytes.bigEndian16(offset + 8) ?? 0)/100 s, "
            + "\(bytes.bigEndian16(offset + 10) ?? 0) x 125 µs, \(bytes.bigEndian32(offset + 12) ?? 0) µs"
    }

    /// PM-Segment-Entry-Map: u16 header bits, then u16 class, TYPE, u16 handle and an attribute-value-map for each element.
    static func entryMap(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String {
        let stamps: [(UInt16, StaticString)] = [
            (0x8000, "absolute time"), (0x4000, "relative time"), (0x2000, "high-resolution time"), (0x1000, "base-offset time"),
        ]
        let elements = list(bytes, start + 2, end, separator: "; ") { bytes, offset, end in
            guard let kind = bytes.bigEndian16(offset), let partition = bytes.bigEndian16(offset + 2),
                let code = bytes.bigEndian16(offset + 4), let handle = bytes.bigEndian16(offset + 6),
                let items = mapEnd(bytes, offset + 8, end)
            else { return nil }
            defer { offset = items }
            return "\(PHDNames.objectClass(kind)) handle \(handle) \(PHDTree.term(partition, code)): \(map(bytes, offset + 8, items))"
        }
        return "\(PHDNames.bits(bytes.bigEndian16(start) ?? 0, stamps)); \(elements)"
    }

    /// Scan-Handle-Attr-Val-Map: u16 handle and an attribute-value-map for each object.
    static func scanMap(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String {
        list(bytes, start, end, separator: "; ") { bytes, offset, end in
            guard let handle = bytes.bigEndian16(offset), let items = mapEnd(bytes, offset + 2, end) else { return nil }
            defer { offset = items }
            return "handle \(handle): \(map(bytes, offset + 2, items))"
        }
    }

    private static func mapEnd(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        var offset = start
        return PHDList.open(bytes, &offset, end)?.end
    }
}

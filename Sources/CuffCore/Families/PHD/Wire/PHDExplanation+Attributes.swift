extension PHDExplanation {
    @discardableResult
    static func attributes(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, _ name: String, _ tree: inout PHDTree) -> Bool {
        guard let list = tree.list(bytes, &offset, end, name) else { return false }
        var at = offset
        var isWhole = true
        tree.nested {
            for _ in 0..<list.count where isWhole { isWhole = attribute(bytes, &at, list.end, &$0) }
            if isWhole, at != list.end {
                $0.malformed(bytes, at, "the list is longer than its items")
                isWhole = false
            }
        }
        offset = at
        return isWhole
    }

    static func attribute(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, _ tree: inout PHDTree) -> Bool {
        guard let id = bytes.bigEndian16(offset), let length = bytes.bigEndian16(offset + 2), offset + 4 + Int(length) <= end else {
            tree.malformed(bytes, offset, "the attribute is longer than what holds it")
            return false
        }
        let name = PHDNames.attribute(id).description
        tree.field(bytes, offset, 4 + Int(length), "\(name) (\(PHDTree.hex16(id)))", value(id, bytes, offset + 4, Int(length)))
        offset += 4 + Int(length)
        return true
    }

    private static func value(_ id: UInt16, _ bytes: Span<UInt8>, _ offset: Int, _ length: Int) -> String {
        let word = bytes.bigEndian16(offset) ?? 0
        switch (id, length) {
        case (0x092F, 4), (0x0986, 4): return PHDTree.term(word, bytes.bigEndian16(offset + 2) ?? 0)
        case (PHDAttribute.unitCode, 2): return PHDTree.unit(word)
        case (0x0A46, 2): return PHDNames.bits(word, PHDNames.metricSpecification)
        case (PHDAttribute.storeCapability, 2): return PHDNames.bits(word, PHDNames.storeCapability)
        case (PHDAttribute.measurementStatus, 2): return PHDNames.bits(word, PHDNames.measurementStatus)
        case (PHDAttribute.timeInfo, 16): return timeInfo(bytes, offset)
        case (PHDAttribute.powerStatus, 2): return PHDNames.bits(word, PHDNames.powerStatus)
        case (PHDAttribute.absoluteStamp, 8), (PHDAttribute.dateAndTime, 8), (0x0992, 8), (0x098A, 8):
            return text(stamp(.absolute, bytes, offset))
        case (PHDAttribute.baseOffsetStamp, 8), (PHDAttribute.baseOffsetNow, 8), (0x0A83, 8), (0x0A84, 8):
            return text(stamp(.baseOffset, bytes, offset))
        case (PHDAttribute.relativeStamp, 4), (PHDAttribute.relativeNow, 4): return text(stamp(.relative, bytes, offset))
        case (PHDAttribute.highResolutionStamp, 8), (PHDAttribute.highResolutionNow, 8):
            return text(stamp(.highResolution, bytes, offset))
        case (PHDAttribute.systemModel, _): return model(bytes, offset, offset + length)
        case (PHDAttribute.productionSpecification, _): return production(bytes, offset, offset + length)
        case (PHDAttribute.specializations, _): return specializations(bytes, offset, offset + length)
        case (PHDAttribute.supplementalTypes, _): return types(bytes, offset, offset + length)
        case (0x0A73, 2): return structure(word)
        case (PHDAttribute.entryMap, _): return entryMap(bytes, offset, offset + length)
        case (PHDAttribute.scanMap, _): return scanMap(bytes, offset, offset + length)
        case (PHDAttribute.basicNumeric, 2): return PHDTree.text(PHDNumber(sfloat: word))
        case (PHDAttribute.simpleNumeric, 4), (0x094A, 4), (0x0A59, 4): return PHDTree.text(PHDNumber(bytes, offset, width: 4))
        case (PHDAttribute.compoundBasicNumeric, _): return numbers(bytes, offset, length, width: 2)
        case (PHDAttribute.compoundSimpleNumeric, _): return numbers(bytes, offset, length, width: 4)
        case (PHDAttribute.systemID, 10): return Hex.text(bytes.part(offset + 2, 8), separator: "")
        case (0x0A57, _), (0x0A58, _), (0x0927, _):
            return "\"\(DeviceIdentity.text(bytes.part(offset, min(length, 128)).filter { $0 >= 0x20 && $0 < 0x7F }))\""
        case (PHDAttribute.valueMap, _): return map(bytes, offset, offset + length)
        case (PHDAttribute.metricIDList, _): return words(bytes, offset + 4, offset + length)
        case (PHDAttribute.confirmTimeout, 4), (PHDAttribute.transferTimeout, 4), (PHDAttribute.clearTimeout, 4):
            return "\((bytes.bigEndian32(offset) ?? 0) / 8) ms"
        case (_, 2): return "\(word)"
        case (_, 4): return "\(bytes.bigEndian32(offset) ?? 0)"
        default: return "\(length) bytes"
        }
    }

    private static func numbers(_ bytes: Span<UInt8>, _ offset: Int, _ length: Int, width: Int) -> String {
        let count = min(Int(bytes.bigEndian16(offset) ?? 0), max(0, length - 4) / width, 16)
        return (0..<count).map { PHDTree.text(PHDNumber(bytes, offset + 4 + $0 * width, width: width)) }.joined(separator: ", ")
    }

    private static func words(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String {
        stride(from: start, to: min(end, start + 64) - 1, by: 2).map { "\(bytes.bigEndian16($0) ?? 0)" }.joined(separator: ", ")
    }

    static func map(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String {
        stride(from: start + 4, to: min(end, start + 68) - 3, by: 4).map {
            "\(PHDNames.attribute(bytes.bigEndian16($0) ?? 0)) \(bytes.bigEndian16($0 + 2) ?? 0)"
        }.joined(separator: ", ")
    }
}

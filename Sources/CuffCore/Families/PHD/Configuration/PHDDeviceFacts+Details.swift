/// Further facts of an agent, as text for `cuff info`. Layouts: docs/PHD.md §7.1, documented [1].
extension PHDDeviceFacts {
    /// Three times as many rows as any agent in the sources has.
    static let detailCeiling = 64
    /// Displayed bytes of certification data, whose coding depends on the body.
    private static let certificationBytes = 32

    mutating func add(_ name: String, _ value: String) {
        if details.count < Self.detailCeiling { details.append(DeviceIdentity.Detail(name: name, value: value)) }
    }

    /// A displayed attribute; others, and zeros, are ignored.
    mutating func readDetail(_ id: UInt16, _ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        switch id {
        case PHDAttribute.specializations: readSpecializations(bytes, start, end)
        case PHDAttribute.certification: readCertification(bytes, start, end)
        case PHDAttribute.powerStatus where end - start == 2:
            guard let bits = bytes.bigEndian16(start), bits != 0 else { return }
            add("power", PHDNames.bits(bits, PHDNames.powerStatus))
        case PHDAttribute.remainingBattery where end - start == 6:
            guard let unit = bytes.bigEndian16(start + 4), let digits = PHDNumber(bytes, start, width: 4).digits, digits.mantissa > 0 else {
                return
            }
            add("battery lasts", "\(PHDTree.text(.digits(digits))) \(Nomenclature.unit(unit)?.description ?? "of unit \(unit)")")
        default: break
        }
    }

    /// System-Type-Spec-List: a list of u16 device specialization, u16 version.
    private mutating func readSpecializations(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        var offset = start
        for (code, version) in PHDList.pairs(bytes, &offset, end)?.prefix(Self.detailCeiling) ?? [] {
            let type = PHDDeviceType.profile(code)
            add("specialization", type.map { "\($0.name), IEEE 11073-\($0.document)" } ?? "MDC \(code)")
            if version > 0 { add("specialization version", "\(version)") }
        }
    }

    /// Reg-Cert-Data-List: a list of u8 body, u8 structure, ANY.
    private mutating func readCertification(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        var offset = start
        guard let list = PHDList.open(bytes, &offset, end) else { return }
        for _ in 0..<min(list.count, Self.detailCeiling) {
            guard let body = bytes.byte(offset), let structure = bytes.byte(offset + 1), let length = bytes.bigEndian16(offset + 2),
                offset + 4 + Int(length) <= list.end
            else { return }
            let name = body == 1 ? "IEEE 11073" : body == 2 ? "Continua" : body == 0xFE ? "experimental" : "body \(body)"
            let data = Hex.text(bytes.part(offset + 4, min(Int(length), Self.certificationBytes)), separator: "")
            add("certification", "\(name), structure \(structure): \(data)")
            offset += 4 + Int(length)
        }
    }

    static func details(_ configuration: borrowing PHDConfiguration) -> [DeviceIdentity.Detail] {
        var details: [DeviceIdentity.Detail] = []
        for trait in configuration.traits {
            guard let index = configuration.index(of: trait.handle) else { continue }
            let object = configuration.objects[index]
            let name = Nomenclature.name(partition: object.partition, term: object.term)?.description ?? "object \(trait.handle)"
            for type in trait.supplementalTypes {
                let word =
                    Nomenclature.name(partition: type.partition, term: type.code)?.description ?? "MDC \(type.partition)::\(type.code)"
                details.append(
                    DeviceIdentity.Detail(name: "\(type.partition == Self.sites ? "body site" : "type") of \(name)", value: word))
            }
            if let digits = trait.accuracy?.digits {
                let unit = object.unit == 0 ? "" : " " + (Nomenclature.unit(object.unit)?.description ?? "of unit \(object.unit)")
                details.append(DeviceIdentity.Detail(name: "accuracy of \(name)", value: PHDTree.text(.digits(digits)) + unit))
            }
            if details.count >= detailCeiling { break }
        }
        return details
    }

    private static let sites: UInt16 = 7
}

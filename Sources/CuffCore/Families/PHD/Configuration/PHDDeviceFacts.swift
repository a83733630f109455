struct PHDDeviceFacts: Sendable {
    var identity = DeviceIdentity()
    var clock: DeviceTime?
    /// Mds-Time-Info's capabilities; `nil` if not sent.
    var timeCapability: UInt16?
    var hasBaseOffsetTime = false
    /// The counting clocks, and how many units pass with each step.
    var relativeNow: UInt32?
    var relativeStep: UInt16?
    var highResolutionNow: UInt64?
    var highResolutionStep: UInt32?
    /// Further facts for display, in the agent's order.
    var details: [DeviceIdentity.Detail] = []

    var wantsClock: Bool { (timeCapability ?? 0) & PHDTimeCapability.managerSets != 0 }

    init(device: String) { identity.id = device }

    mutating func update(_ other: PHDDeviceFacts) {
        identity.manufacturer = other.identity.manufacturer ?? identity.manufacturer
        identity.model = other.identity.model ?? identity.model
        identity.serial = other.identity.serial ?? identity.serial
        identity.firmware = other.identity.firmware ?? identity.firmware
        identity.battery = other.identity.battery ?? identity.battery
        clock = other.clock ?? clock
        timeCapability = other.timeCapability ?? timeCapability
        hasBaseOffsetTime = hasBaseOffsetTime || other.hasBaseOffsetTime
        // Counter and calendar time are meaningful only together.
        if other.clock != nil, other.relativeNow != nil || other.highResolutionNow != nil {
            (relativeNow, highResolutionNow) = (other.relativeNow, other.highResolutionNow)
        }
        relativeStep = other.relativeStep ?? relativeStep
        highResolutionStep = other.highResolutionStep ?? highResolutionStep
        // New facts replace all rows of the same name, e.g. specializations, certificates.
        let told = Set(other.details.map(\.name))
        let place = details.firstIndex { told.contains($0.name) } ?? details.count
        details.removeAll { told.contains($0.name) }
        details.insert(contentsOf: other.details, at: min(place, details.count))
    }

    /// Parses the answer to GET MDS, ignoring empty and zero entries (Antidote's agent sends seventeen).
    init?(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, device: String) {
        identity.id = device
        var offset = start
        let isRead = PHDList.attributes(bytes, &offset, end) { id, at, length in
            switch id {
            case PHDAttribute.systemModel: readModel(bytes, at, at + length)
            case PHDAttribute.productionSpecification: readProduction(bytes, at, at + length)
            case PHDAttribute.dateAndTime where length == 8: readClock(.absolute, bytes, at)
            case PHDAttribute.baseOffsetNow where length == 8:
                hasBaseOffsetTime = true
                readClock(.baseOffset, bytes, at)
            case PHDAttribute.timeInfo where length >= 2: readTimeInfo(bytes, at, length)
            case PHDAttribute.relativeNow where length == 4:
                if let now = bytes.bigEndian32(at), now != 0, now != UInt32.max { relativeNow = now }
            case PHDAttribute.highResolutionNow where length == 8:
                if let now = bytes.bigEndian64(at), now != 0 { highResolutionNow = now }
            case PHDAttribute.battery where length == 2:
                if let percent = bytes.bigEndian16(at), percent > 0, percent <= 100 { identity.battery = Int(percent) }
            default: readDetail(id, bytes, at, at + length)
            }
            return true
        }
        guard isRead else { return nil }
    }

    private mutating func readTimeInfo(_ bytes: Span<UInt8>, _ at: Int, _ length: Int) {
        timeCapability = bytes.bigEndian16(at)
        if (timeCapability ?? 0) & PHDTimeCapability.baseOffset != 0 { hasBaseOffsetTime = true }
        guard length >= 16 else { return }
        relativeStep = bytes.bigEndian16(at + 10)
        highResolutionStep = bytes.bigEndian32(at + 12)
    }

    static func text(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int) -> String? {
        guard let length = bytes.bigEndian16(offset), offset + 2 + Int(length) <= end else { return nil }
        // A limit of twice the longest name of any agent in the sources.
        let text = DeviceIdentity.text(bytes.part(offset + 2, min(Int(length), 128)))
        offset += 2 + Int(length)
        return text.isEmpty ? nil : text
    }

    private mutating func readModel(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        var offset = start
        identity.manufacturer = Self.text(bytes, &offset, end)
        identity.model = Self.text(bytes, &offset, end)
    }

    private mutating func readProduction(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        var offset = start
        guard let list = PHDList.open(bytes, &offset, end) else { return }
        for _ in 0..<list.count {
            guard let kind = bytes.bigEndian16(offset), offset + 6 <= end else { return }
            offset += 4
            let text = Self.text(bytes, &offset, end)
            if kind == 1 { identity.serial = text }
            if kind == 5 { identity.firmware = text }
            if let text { add("production \(PHDNames.production(kind))", text) }
        }
    }

    private mutating func readClock(_ kind: PHDStamp.Kind, _ bytes: Span<UInt8>, _ offset: Int) {
        if case .time(let time) = PHDStamp(kind, bytes, offset).clock { clock = time }
    }
}

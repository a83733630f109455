/// The bytes of the simulated agent: what it is and how it puts records into reports and entries.
struct PHDSimulatedCuff: Sendable {
    enum Report: Sendable { case fixed, variable, apart }
    enum Time: Sendable { case absolute, baseOffset, relative, unset, impossible }

    static let storeHandle: UInt16 = 8

    let systemID: [UInt8]
    let isExtended: Bool
    let isKPa: Bool
    let hasPersons: Bool
    let hasStatus: Bool
    let hasStore: Bool
    let report: Report
    let time: Time
    let confirms: Bool
    let releases: Bool
    let batch: Int
    let entries: Int

    init(_ options: [String: String]) {
        let id = Hex.bytes(options["system-id"] ?? "") ?? []
        systemID = id.count == 8 ? id : [0x00, 0x09, 0x1F, 0xFF, 0xFE, 0x00, 0x01, 0x01]
        isKPa = options["unit"] == "kPa"
        hasPersons = options["persons"] == "yes"
        hasStatus = options["status"] == "yes"
        hasStore = options["store"] == "yes"
        report = options["report"] == "variable" ? .variable : options["report"] == "apart" ? .apart : .fixed
        switch options["time"] {
        case "base-offset": time = .baseOffset
        case "relative": time = .relative
        case "unset": time = .unset
        case "impossible": time = .impossible
        default: time = .absolute
        }
        confirms = options["confirm"] != "no"
        releases = options["release"] != "no"
        batch = max(1, min(25, Int(options["batch"] ?? "") ?? 1))
        entries = max(1, min(100, Int(options["entries"] ?? "") ?? 2))
        isExtended =
            options["configuration"] == "extended" || isKPa || hasStatus || hasStore
            || time == .baseOffset || time == .relative
    }

    /// The agent offers this one first; a standard one only where the manager knows it.
    var configurationID: UInt16 { isExtended ? extendedID : 0x02BC }

    /// Each form of the configuration has a number of its own: a manager may remember what stands behind a number.
    var extendedID: UInt16 {
        let stamp: UInt16 =
            switch time {
            case .absolute, .unset, .impossible: 0
            case .baseOffset: 1
            case .relative: 2
            }
        let forms: [(Bool, UInt16)] = [(isKPa, 1), (hasStatus, 2), (hasStore, 4), (hasStore && hasPersons, 8)]
        return forms.reduce(0x4000 | stamp << 4) { $1.0 ? $0 | $1.1 : $0 }
    }

    var associationRequest: [UInt8] {
        var writer = PHDWriter()
        writer.append16(PHDChoice.associationRequest)
        writer.counted {
            $0.append32(0x8000_0000)
            $0.list(1) {
                $0.append16(PHDAssociationRequest.protocol20601)
                $0.counted {
                    $0.append32(0x8000_0000)
                    $0.append16(0xA000)  // MDER and PER, as agents often offer
                    $0.append32(0x8000_0000)
                    $0.append32(0)
                    $0.append32(0x0080_0000)
                    $0.counted { $0.append(systemID) }
                    $0.append16(configurationID)
                    $0.append16(0x0001)
                    $0.append([1, 0])
                    $0.append32(0)
                }
            }
        }
        return writer.bytes
    }

    // MARK: configuration

    private var stamp: (UInt16, UInt16) {
        switch time {
        case .baseOffset: (PHDAttribute.baseOffsetStamp, 8)
        case .relative: (PHDAttribute.relativeStamp, 4)
        case .absolute, .unset, .impossible: (PHDAttribute.absoluteStamp, 8)
        }
    }

    private var objects: [[UInt8]] {
        var objects = [
            PHDStandardConfiguration.numeric(
                1, PHDMetric.noninvasivePressure, spec: 0xF040, unit: isKPa ? PHDMetric.kPa : PHDMetric.mmHg,
                map: [(PHDAttribute.compoundBasicNumeric, 10), stamp],
                metrics: [PHDMetric.systolic, PHDMetric.diastolic, PHDMetric.mean]),
            PHDStandardConfiguration.numeric(
                2, PHDMetric.pulseRate, spec: 0xF040, unit: 2720, map: [(PHDAttribute.basicNumeric, 2), stamp]),
        ]
        if hasStatus {
            objects.append(
                PHDStandardConfiguration.object(PHDClass.enumeration, 3, count: 2) {
                    $0.attribute(PHDAttribute.type) {
                        $0.append16(PHDMetric.diseaseManagement)
                        $0.append16(PHDMetric.pressureStatus)
                    }
                    $0.attribute(PHDAttribute.valueMap) {
                        PHDStandardConfiguration.map([(PHDAttribute.basicBits, 2), stamp], into: &$0)
                    }
                })
        }
        if hasStore {
            objects.append(
                PHDStandardConfiguration.object(PHDClass.store, Self.storeHandle, count: 2) {
                    $0.attribute(PHDAttribute.storeCapability) { $0.append16(capability) }
                    $0.attribute(PHDAttribute.clearTimeout) { $0.append32(24000) }
                })
        }
        return objects
    }

    /// Episodic entries, clear by list, clear all; several persons.
    private var capability: UInt16 { 0x0920 | (hasPersons ? 0x0008 : 0) }

    func configurationReport(invoke: UInt16, id: UInt16) -> [UInt8] {
        event(invoke, handle: 0, PHDEvent.configuration, capacity: 256) {
            $0.append16(id)
            $0.append(PHDStandardConfiguration.list(objects))
        }
    }

    private func event(
        _ invoke: UInt16, handle: UInt16, _ type: UInt16, isConfirmed: Bool = true, capacity: Int = 128,
        _ info: (inout PHDWriter) -> Void
    ) -> [UInt8] {
        let message = isConfirmed ? PHDMessage.confirmedEventReport : PHDMessage.eventReport
        return PHDWriter.presentation(invoke: invoke, message, capacity: capacity) {
            $0.append16(handle)
            $0.append32(0xFFFF_FFFF)
            $0.append16(type)
            $0.counted(info)
        }
    }

    // MARK: reports

    private var eventType: UInt16 {
        (report == .variable ? 0x0D1E : PHDEvent.scanFixed) + (hasPersons ? 2 : 0)
    }

    func report(invoke: UInt16, number: UInt16, _ body: [UInt8]) -> [UInt8] {
        event(invoke, handle: 0, eventType, isConfirmed: confirms) {
            $0.append16(0xF000)
            $0.append16(number)
            $0.append(body)
        }
    }

    /// The bodies of the reports that hand over these records: one, or two where pressures and pulses go apart.
    func reportBodies(_ records: [SimulatedRecord]) -> [[UInt8]] {
        report == .apart
            ? [body(records, handles: 1...1), body(records, handles: 2...3)]
            : [body(records, handles: 1...3)]
    }

    private func body(_ records: [SimulatedRecord], handles: ClosedRange<UInt16>) -> [UInt8] {
        var writer = PHDWriter()
        func list(_ records: [SimulatedRecord], _ writer: inout PHDWriter) {
            let items = records.flatMap { record in handles.compactMap { observation($0, record) } }
            writer.list(items.count) { for item in items { $0.append(item) } }
        }
        if hasPersons {
            let users = Array(Set(records.map(\.user))).sorted()
            writer.list(users.count) {
                for user in users {
                    $0.append16(UInt16(truncatingIfNeeded: user))
                    list(records.filter { $0.user == user }, &$0)
                }
            }
        } else {
            list(records, &writer)
        }
        return writer.bytes
    }

    private func observation(_ handle: UInt16, _ record: SimulatedRecord) -> [UInt8]? {
        guard let value = value(handle, record) else { return nil }
        var writer = PHDWriter()
        writer.append16(handle)
        if report == .variable {
            writer.list(2) {
                $0.attribute(value.0) { $0.append(value.1) }
                $0.attribute(stamp.0) { $0.append(stampBytes(record.time)) }
            }
        } else {
            writer.counted {
                $0.append(value.1)
                $0.append(stampBytes(record.time))
            }
        }
        return writer.bytes
    }

    private func value(_ handle: UInt16, _ record: SimulatedRecord) -> (UInt16, [UInt8])? {
        let failed = record.failure != nil
        var writer = PHDWriter()
        switch handle {
        case 1:
            writer.list(3) { for value in [record.systolic, record.diastolic, record.mean] { $0.append16(pressure(value, failed)) } }
            return (PHDAttribute.compoundBasicNumeric, writer.bytes)
        case 2:
            writer.append16(failed ? 0x07FF : PHDNumber.sfloat(Digits(record.pulse)) ?? 0x07FF)
            return (PHDAttribute.basicNumeric, writer.bytes)
        case 3 where hasStatus:
            writer.append16(Self.status(record.flags))
            return (PHDAttribute.basicBits, writer.bytes)
        default: return nil
        }
    }

    private func pressure(_ mmHg: Int, _ failed: Bool) -> UInt16 {
        if failed { return 0x07FF }
        // Tenths of a kilopascal: 1 mmHg = 0.133322 kPa.
        let digits = isKPa ? Digits(mantissa: Int64((mmHg * 133_322 + 50_000) / 100_000), exponent: -1) : Digits(mmHg)
        return PHDNumber.sfloat(digits) ?? 0x07FF
    }

    static func status(_ flags: MeasurementFlags) -> UInt16 {
        let bits: [(MeasurementFlags, UInt16)] = [
            (.bodyMovement, 0x8000), (.cuffLoose, 0x4000), (.irregularPulse, 0x2000), (.pulseOverRange, 0x1000),
            (.pulseUnderRange, 0x0800), (.improperPosition, 0x0400),
        ]
        return bits.reduce(0) { flags.contains($1.0) ? $0 | $1.1 : $0 }
    }

    private func stampBytes(_ time: DeviceTime) -> [UInt8] {
        switch self.time {
        case .absolute: return PHDStamp.bytes(absolute: time)
        case .unset: return [0, 0, 0, 0, 0, 0, 0, 0]
        case .impossible: return [0x20, 0x26, 0x13, 0x32, 0x25, 0x61, 0x61, 0]
        case .baseOffset:
            var zoned = time
            zoned.utcOffset = time.utcOffset ?? 120
            return PHDStamp.bytes(baseOffset: zoned) ?? [0, 0, 0, 0, 0, 0, 0, 0]
        case .relative:
            var writer = PHDWriter()
            writer.append32(UInt32(truncatingIfNeeded: time.wallSeconds &* 8000))
            return writer.bytes
        }
    }

    // MARK: MDS and store

    func description(invoke: UInt16, clock: DeviceTime) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.getResult, capacity: 160) {
            $0.append16(0)
            $0.list(6) {
                $0.attribute(0x0A5A) { $0.list(1) { $0.append32(0x1007_0001) } }
                $0.attribute(PHDAttribute.systemModel) {
                    $0.text("cuff")
                    $0.text("simulated agent")
                }
                $0.attribute(PHDAttribute.systemID) { $0.counted { $0.append(systemID) } }
                $0.attribute(PHDAttribute.productionSpecification) {
                    $0.list(1) {
                        $0.append32(0x0001_0000)
                        $0.text("SN000042")
                    }
                }
                if time == .baseOffset {
                    $0.attribute(PHDAttribute.baseOffsetNow) { $0.append(stampBytes(clock)) }
                } else {
                    $0.attribute(PHDAttribute.dateAndTime) { $0.append(PHDStamp.bytes(absolute: clock)) }
                }
                $0.attribute(PHDAttribute.timeInfo) {
                    // A clock that keeps base and offset, or one that SET_TIME sets.
                    $0.append16(0x8000 | (time == .baseOffset ? PHDTimeCapability.baseOffset : PHDTimeCapability.setClock))
                    $0.append([0x1F, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0, 100, 0, 0, 0, 0, 0, 0])
                }
            }
        }
    }

    func storeDescription(invoke: UInt16, segments: [[SimulatedRecord]]) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.getResult) {
            $0.append16(Self.storeHandle)
            $0.list(4) {
                $0.attribute(PHDAttribute.storeCapability) { $0.append16(capability) }
                $0.attribute(PHDAttribute.usageCount) { $0.append32(UInt32(segments.reduce(0) { $0 + $1.count })) }
                $0.attribute(0x0951) { $0.append16(UInt16(segments.count)) }
                $0.attribute(PHDAttribute.clearTimeout) { $0.append32(24000) }
            }
        }
    }

    func segmentInfo(invoke: UInt16, segments: [[SimulatedRecord]]) -> [UInt8] {
        action(invoke, Self.storeHandle, PHDAction.segmentInfo) {
            $0.list(segments.count) {
                for (index, records) in segments.enumerated() {
                    $0.append16(UInt16(index + 1))
                    $0.list(hasPersons ? 5 : 4) {
                        $0.attribute(PHDAttribute.instanceNumber) { $0.append16(UInt16(index + 1)) }
                        $0.attribute(PHDAttribute.entryMap) { entryMap(&$0) }
                        $0.attribute(PHDAttribute.segmentUsageCount) { $0.append32(UInt32(records.count)) }
                        $0.attribute(PHDAttribute.transferTimeout) { $0.append32(240_000) }
                        if hasPersons {
                            $0.attribute(PHDAttribute.personID) { $0.append16(UInt16(truncatingIfNeeded: records.first?.user ?? 0xFFFF)) }
                        }
                    }
                }
            }
        }
    }

    private func entryMap(_ writer: inout PHDWriter) {
        let header: UInt16 =
            switch time {
            case .absolute, .unset, .impossible: 0x8000
            case .relative: 0x4000
            case .baseOffset: 0x1000
            }
        writer.append16(header)
        writer.list(hasStatus ? 3 : 2) {
            element(1, PHDClass.numeric, PHDMetric.scada, PHDMetric.noninvasivePressure, (PHDAttribute.compoundBasicNumeric, 10), &$0)
            element(2, PHDClass.numeric, PHDMetric.scada, PHDMetric.pulseRate, (PHDAttribute.basicNumeric, 2), &$0)
            if hasStatus {
                element(3, PHDClass.enumeration, PHDMetric.diseaseManagement, PHDMetric.pressureStatus, (PHDAttribute.basicBits, 2), &$0)
            }
        }
    }

    private func element(
        _ handle: UInt16, _ objectClass: UInt16, _ partition: UInt16, _ term: UInt16, _ item: (UInt16, UInt16),
        _ writer: inout PHDWriter
    ) {
        for word in [objectClass, partition, term, handle] { writer.append16(word) }
        PHDStandardConfiguration.map([item], into: &writer)
    }

    func segmentData(invoke: UInt16, instance: UInt16, _ records: [SimulatedRecord], _ range: Range<Int>) -> [UInt8] {
        event(invoke, handle: Self.storeHandle, PHDEvent.segmentData, capacity: 2048) {
            $0.append16(instance)
            $0.append32(UInt32(range.lowerBound))
            $0.append32(UInt32(range.count))
            $0.append16((range.lowerBound == 0 ? 0x8000 : 0) | (range.upperBound == records.count ? 0x4000 : 0))
            $0.counted {
                for record in records[range] {
                    $0.append(stampBytes(record.time))
                    for handle in 1...3 as ClosedRange<UInt16> { if let value = value(handle, record) { $0.append(value.1) } }
                }
            }
        }
    }

    private func action(_ invoke: UInt16, _ handle: UInt16, _ action: UInt16, _ body: (inout PHDWriter) -> Void) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.actionResult, capacity: 256) {
            $0.append16(handle)
            $0.append16(action)
            $0.counted(body)
        }
    }

    func actionResult(invoke: UInt16, _ handle: UInt16, _ action: UInt16) -> [UInt8] {
        self.action(invoke, handle, action) { _ in }
    }

    func triggerResult(invoke: UInt16, instance: UInt16, _ result: UInt16) -> [UInt8] {
        action(invoke, Self.storeHandle, PHDAction.triggerTransfer) {
            $0.append16(instance)
            $0.append16(result)
        }
    }

    /// The action that sets this agent's clock; it refuses the other.
    var setsTimeWith: UInt16 { time == .baseOffset ? PHDAction.setBaseOffsetTime : PHDAction.setTime }

    /// The time that action sets: off 18 eight bytes.
    func time(setBy apdu: Span<UInt8>) -> DeviceTime? {
        let stamp = PHDStamp(time == .baseOffset ? .baseOffset : .absolute, apdu, 18)
        guard case .time(let time) = stamp.clock else { return nil }
        return time
    }

    /// Whether a SEG_CLR's selection names this segment: off 18 choice, 20 length, 22 count, 24 length, 26 instances.
    func clears(_ instance: UInt16, _ apdu: Span<UInt8>) -> Bool {
        switch apdu.bigEndian16(18) {
        case 1: return true
        case 2:
            for index in 0..<Int(apdu.bigEndian16(22) ?? 0) where apdu.bigEndian16(26 + index * 2) == instance { return true }
            return false
        default: return false
        }
    }
}

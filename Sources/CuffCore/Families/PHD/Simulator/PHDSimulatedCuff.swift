/// The APDUs of the simulated agent: its identity, configuration, and records as reports and entries.
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
    /// The number of associations on one line; the pushed records are distributed over them.
    let associations: Int
    /// Every how many associations end by ABRT instead of a release; 0: none.
    let aborts: Int

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
        associations = max(1, min(100_000, Int(options["associations"] ?? "") ?? 1))
        aborts = max(0, Int(options["aborts"] ?? "") ?? 0)
        isExtended =
            options["configuration"] == "extended" || isKPa || hasStatus || hasStore
            || time == .baseOffset || time == .relative
    }

    /// Offered first; a standard one only if the manager knows it.
    var configurationID: UInt16 { isExtended ? extendedID : 0x02BC }

    /// Each form of the configuration has its own number, because managers remember them by number.
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

    var stamp: (UInt16, UInt16) {
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
    var capability: UInt16 { 0x0920 | (hasPersons ? 0x0008 : 0) }

    func configurationReport(invoke: UInt16, id: UInt16) -> [UInt8] {
        event(invoke, handle: 0, PHDEvent.configuration, capacity: 256) {
            $0.append16(id)
            $0.append(PHDStandardConfiguration.list(objects))
        }
    }

    func event(
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

    /// The report bodies of these records: one, or two if pressures and pulses are separate.
    func reportBodies(_ records: [SimulatedRecord]) -> [[UInt8]] {
        report == .apart
            ? [body(records, handles: 1...1), body(records, handles: 2...3)]
            : [body(records, handles: 1...3)]
    }

    func body(_ records: [SimulatedRecord], handles: ClosedRange<UInt16>) -> [UInt8] {
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

    func value(_ handle: UInt16, _ record: SimulatedRecord) -> (UInt16, [UInt8])? {
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
            writer.append16(PHDObservation.pressureStatus.reduce(0) { record.flags.contains($1.1) ? $0 | $1.0 : $0 })
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

    func stampBytes(_ time: DeviceTime) -> [UInt8] {
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
}

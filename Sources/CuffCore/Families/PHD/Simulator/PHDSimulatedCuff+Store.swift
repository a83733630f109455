extension PHDSimulatedCuff {
    func description(invoke: UInt16, clock: DeviceTime) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.getResult, capacity: 160) {
            $0.append16(0)
            $0.list(time == .relative ? 7 : 6) {
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
                if time == .relative { $0.attribute(PHDAttribute.relativeNow) { $0.append(stampBytes(clock)) } }
                $0.attribute(PHDAttribute.timeInfo) {
                    // A base-offset clock, or one set by SET_TIME; and a counting clock.
                    let counts = time == .relative ? PHDTimeCapability.relative : 0
                    $0.append16(0x8000 | counts | (time == .baseOffset ? PHDTimeCapability.baseOffset : PHDTimeCapability.setClock))
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

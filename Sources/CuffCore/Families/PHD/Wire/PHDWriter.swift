/// An APDU under construction. Lengths are written when their content is complete.
struct PHDWriter {
    var bytes: [UInt8] = []

    init() {}
    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    @inline(__always)
    mutating func append16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    @inline(__always)
    mutating func append32(_ value: UInt32) {
        append16(UInt16(truncatingIfNeeded: value >> 16))
        append16(UInt16(truncatingIfNeeded: value))
    }

    mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    mutating func counted(_ body: (inout PHDWriter) -> Void) {
        let mark = bytes.count
        append16(0)
        body(&self)
        let length = UInt16(truncatingIfNeeded: bytes.count - mark - 2)
        bytes[mark] = UInt8(length >> 8)
        bytes[mark + 1] = UInt8(length & 0xFF)
    }

    mutating func list(_ count: Int, _ body: (inout PHDWriter) -> Void) {
        append16(UInt16(truncatingIfNeeded: count))
        counted(body)
    }

    mutating func attribute(_ id: UInt16, _ body: (inout PHDWriter) -> Void) {
        append16(id)
        counted(body)
    }

    /// Text as an octet string of even size.
    mutating func text(_ text: String) {
        counted {
            $0.append(Array(text.utf8))
            if text.utf8.count % 2 == 1 { $0.bytes.append(0x20) }
        }
    }

    static func presentation(
        invoke: UInt16, _ message: UInt16, capacity: Int = 64, _ body: (inout PHDWriter) -> Void
    ) -> [UInt8] {
        var writer = PHDWriter(capacity: capacity)
        writer.append16(PHDChoice.presentation)
        writer.counted {
            $0.counted {
                $0.append16(invoke)
                $0.append16(message)
                $0.counted(body)
            }
        }
        return writer.bytes
    }
}

/// The APDUs that this manager sends (docs/PHD.md §18). None is longer than 224 bytes, the least an agent must accept.
enum PHDManagerAPDU {
    static func associationResponse(result: UInt16, manager: [UInt8], version: UInt32 = 0x8000_0000) -> [UInt8] {
        var writer = PHDWriter(capacity: 48)
        writer.append16(PHDChoice.associationResponse)
        writer.counted {
            $0.append16(result)
            guard result != PHDAssociationRequest.noCommonProtocol else {
                $0.append32(0)
                return
            }
            $0.append16(PHDAssociationRequest.protocol20601)
            $0.counted {
                $0.append32(result == PHDAssociationRequest.noCommonParameter ? 0 : version)
                $0.append16(0x8000)  // MDER, the one choice
                $0.append32(0x8000_0000)  // nomenclature version 1
                $0.append32(0)  // no functional units: no test association
                $0.append32(0x8000_0000)  // system type: manager
                $0.counted { $0.append(manager) }
                $0.append([0, 0, 0, 0, 0, 0])  // configuration id, request modes and counts are the agent's
                $0.append32(0)
            }
        }
        return writer.bytes
    }

    static func releaseRequest(_ reason: UInt16 = 0) -> [UInt8] { short(PHDChoice.releaseRequest, reason) }
    static let releaseResponse = short(PHDChoice.releaseResponse, 0)
    static func abort(_ reason: UInt16) -> [UInt8] { short(PHDChoice.abort, reason) }

    private static func short(_ choice: UInt16, _ word: UInt16) -> [UInt8] {
        var writer = PHDWriter(capacity: 6)
        writer.append16(choice)
        writer.append16(2)
        writer.append16(word)
        return writer.bytes
    }

    static let confirmationLength = 22

    /// The answers to scan reports: handle and event copied, an empty reply. Optimised, because they go with every reading.
    static func confirmations(_ pending: ArraySlice<PHDConfirmations.Pending>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: pending.count * confirmationLength) { room, count in
            let all = UnsafeMutableRawBufferPointer(room)
            for next in pending {
                let words: (UInt64, UInt64, UInt32, UInt16) = (
                    (0xE700_0012_0010_0000 | UInt64(next.invoke)).bigEndian,
                    (0x0201_000A_0000_FFFF | UInt64(next.handle) << 16).bigEndian,
                    (0xFFFF_0000 | UInt32(next.event)).bigEndian, 0
                )
                withUnsafeBytes(of: words) { UnsafeMutableRawBufferPointer(rebasing: all[count...]).copyMemory(from: $0) }
                count &+= confirmationLength
            }
        }
    }

    static func configurationResult(invoke: UInt16, configuration: UInt16, result: UInt16) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.eventReportResult) {
            $0.append16(0)
            $0.append32(0xFFFF_FFFF)
            $0.append16(PHDEvent.configuration)
            $0.counted {
                $0.append16(configuration)
                $0.append16(result)
            }
        }
    }

    static func segmentConfirmation(
        invoke: UInt16, handle: UInt16, instance: UInt16, index: UInt32, count: UInt32, status: UInt16
    ) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.eventReportResult) {
            $0.append16(handle)
            $0.append32(0xFFFF_FFFF)
            $0.append16(PHDEvent.segmentData)
            $0.counted {
                $0.append16(instance)
                $0.append32(index)
                $0.append32(count)
                $0.append16(status)
            }
        }
    }

    static func error(invoke: UInt16, _ error: UInt16) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.error) {
            $0.append16(error)
            $0.append16(0)
        }
    }

    static func rejection(invoke: UInt16, _ problem: UInt16) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.rejection) { $0.append16(problem) }
    }

    static func get(invoke: UInt16, handle: UInt16, attributes: [UInt16] = []) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.get) {
            $0.append16(handle)
            $0.list(attributes.count) { for attribute in attributes { $0.append16(attribute) } }
        }
    }

    /// Switches a scanner on or off: the only attribute an agent lets a manager set.
    static func scanner(invoke: UInt16, handle: UInt16, isOn: Bool) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.confirmedSet) {
            $0.append16(handle)
            $0.list(1) {
                $0.append16(0)
                $0.attribute(PHDAttribute.operationalState) { $0.append16(isOn ? 1 : 0) }
            }
        }
    }

    static func action(
        invoke: UInt16, handle: UInt16, _ action: UInt16, _ arguments: (inout PHDWriter) -> Void
    ) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.confirmedAction) {
            $0.append16(handle)
            $0.append16(action)
            $0.counted(arguments)
        }
    }
}

@testable import CuffCore

/// APDUs of an agent that the simulated one never sends.
enum PHDBytes {
    typealias Attribute = (id: UInt16, bytes: [UInt8])

    static func words(_ words: UInt16...) -> [UInt8] { words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }

    static func event(
        _ type: UInt16, handle: UInt16 = 0, invoke: UInt16 = 7, _ info: (inout PHDWriter) -> Void
    ) -> [UInt8] {
        PHDWriter.presentation(invoke: invoke, PHDMessage.confirmedEventReport, capacity: 1024) {
            $0.append16(handle)
            $0.append32(0xFFFF_FFFF)
            $0.append16(type)
            $0.counted(info)
        }
    }

    static func configuration(_ objects: [[UInt8]], id: UInt16 = 0x4000) -> [UInt8] {
        event(PHDEvent.configuration) {
            $0.append16(id)
            $0.append(PHDStandardConfiguration.list(objects))
        }
    }

    static func variable(_ observations: [(handle: UInt16, attributes: [Attribute])]) -> [UInt8] {
        event(0x0D1E) {
            $0.append16(0xF000)
            $0.append16(0)
            $0.list(observations.count) {
                for observation in observations {
                    $0.append16(observation.handle)
                    $0.list(observation.attributes.count) {
                        for attribute in observation.attributes { $0.attribute(attribute.id) { $0.append(attribute.bytes) } }
                    }
                }
            }
        }
    }

    static func fixed(_ observations: [(handle: UInt16, bytes: [UInt8])], person: UInt16? = nil) -> [UInt8] {
        event(person == nil ? 0x0D1D : 0x0D1F) {
            $0.append16(0xF000)
            $0.append16(0)
            func list(_ writer: inout PHDWriter) {
                writer.list(observations.count) {
                    for observation in observations {
                        $0.append16(observation.handle)
                        $0.counted { $0.append(observation.bytes) }
                    }
                }
            }
            if let person {
                $0.list(1) {
                    $0.append16(person)
                    list(&$0)
                }
            } else {
                list(&$0)
            }
        }
    }

    /// 2026-11-20 07:10:12.00
    static let stamp: [UInt8] = [0x20, 0x26, 0x11, 0x20, 0x07, 0x10, 0x12, 0x00]
    /// 118/76, mean 90, in the layout of configuration 700: docs/PHD.md §6.2.
    static let pressures: [UInt8] = words(3, 6, 0x0076, 0x004C, 0x005A) + stamp
    static let pulse: [UInt8] = words(0x0040) + stamp

    static func enumeration(_ handle: UInt16, partition: UInt16, term: UInt16) -> [UInt8] {
        PHDStandardConfiguration.object(PHDClass.enumeration, handle, count: 1) {
            $0.attribute(PHDAttribute.type) { $0.append(words(partition, term)) }
        }
    }

    static func pressureObject(metrics: [UInt16] = [18949, 18950, 18951]) -> [UInt8] {
        PHDStandardConfiguration.numeric(
            1, 18948, spec: 0xF040, unit: 3872, map: [(0x0A75, 4 + 2 * UInt16(metrics.count)), (0x0990, 8)], metrics: metrics)
    }
    static func pulseObject(unit: UInt16 = 2720) -> [UInt8] {
        PHDStandardConfiguration.numeric(2, 18474, spec: 0xF040, unit: unit, map: [(0x0A4C, 2), (0x0990, 8)])
    }

    /// A manager that has accepted this configuration.
    static func manager(_ objects: [[UInt8]], _ command: SessionCommand = .follow) -> PHDVectorTests.Manager {
        var manager = PHDVectorTests.Manager(command)
        manager.play(.received(PHDSimulatedCuff(["configuration": "extended"]).associationRequest))
        manager.play(.received(configuration(objects)))
        _ = manager.answers()
        return manager
    }
}

extension PHDVectorTests.Manager {
    var notes: [String] { actions.compactMap { if case .report(let diagnostic) = $0 { diagnostic.sentence } else { nil } } }
    var outcome: Outcome? { actions.compactMap { if case .finish(let end) = $0 { end } else { nil } }.last }
    var quantities: [Quantity] { readings.compactMap { if case .quantity(let quantity) = $0.content { quantity } else { nil } } }
}

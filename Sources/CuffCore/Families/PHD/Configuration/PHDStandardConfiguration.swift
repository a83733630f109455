/// The standard configurations of `PHDDeviceType` as agents send them.
enum PHDStandardConfiguration {
    static func configuration(_ id: UInt16) -> PHDConfiguration? { bytes(id).flatMap { PHDConfiguration($0) } }

    static func bytes(_ id: UInt16) -> [UInt8]? { PHDDeviceType.configuration(id).map(bytes) }

    private static func bytes(_ configuration: PHDDeviceType.Configuration) -> [UInt8] {
        list(
            configuration.objects.map { object in
                let time: [(UInt16, UInt16)] = object.hasTime ? [(PHDAttribute.absoluteStamp, UInt16(8))] : []
                return numeric(
                    object.handle, object.term, spec: object.spec, unit: object.unit,
                    map: [(object.value.attribute, object.value.length)] + time, metrics: object.metrics)
            })
    }

    /// One numeric object of partition 2; also used by the simulator.
    static func numeric(
        _ handle: UInt16, _ term: UInt16, spec: UInt16, unit: UInt16, map: [(UInt16, UInt16)], metrics: [UInt16] = []
    ) -> [UInt8] {
        object(PHDClass.numeric, handle, count: metrics.isEmpty ? 4 : 6) {
            $0.attribute(PHDAttribute.type) {
                $0.append16(PHDMetric.scada)
                $0.append16(term)
            }
            $0.attribute(0x0A46) { $0.append16(spec) }
            if !metrics.isEmpty {
                $0.attribute(0x0A73) { $0.append([3, UInt8(metrics.count)]) }
                $0.attribute(PHDAttribute.metricIDList) {
                    $0.list(metrics.count) { for metric in metrics { $0.append16(metric) } }
                }
            }
            $0.attribute(PHDAttribute.unitCode) { $0.append16(unit) }
            $0.attribute(PHDAttribute.valueMap) { Self.map(map, into: &$0) }
        }
    }

    static func map(_ map: [(UInt16, UInt16)], into writer: inout PHDWriter) {
        writer.list(map.count) {
            for item in map {
                $0.append16(item.0)
                $0.append16(item.1)
            }
        }
    }

    static func object(
        _ objectClass: UInt16, _ handle: UInt16, count: Int, _ body: (inout PHDWriter) -> Void
    ) -> [UInt8] {
        var writer = PHDWriter()
        writer.append16(objectClass)
        writer.append16(handle)
        writer.list(count, body)
        return writer.bytes
    }

    static func list(_ objects: [[UInt8]]) -> [UInt8] {
        var writer = PHDWriter()
        writer.list(objects.count) { for object in objects { $0.append(object) } }
        return writer.bytes
    }
}

/// The segments of a request (SegmSelection): docs/PHD.md §8.2.
enum PHDSelection: Sendable, Hashable {
    case all
    case list([UInt16])
    /// Only if the agent's PM-Store-Capab allows it.
    case range(PHDTimeRange)

    func append(to writer: inout PHDWriter) {
        switch self {
        case .all:
            writer.append16(1)
            writer.append16(2)
            writer.append16(0)
        case .list(let instances):
            writer.append16(2)
            writer.counted { $0.list(instances.count) { for instance in instances { $0.append16(instance) } } }
        case .range(let range):
            writer.append16(3)
            writer.counted {
                $0.append(PHDStamp.bytes(absolute: range.from))
                $0.append(PHDStamp.bytes(absolute: range.to))
            }
        }
    }
}

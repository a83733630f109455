/// OBX-4 of an observation: the group of related values, and the place in it.
/// `1.1.9.150301`   the group before the last point, the member after it                          recorded [2], documented [6]
/// `3`              values with the same text are one group                                       documented [1]
/// `^2^1`           data type OG: the group within the order, and the place within the group      documented [7]
/// `1`, `2`, `3` …  ascending numbers of the OBX in an order: they group
///                  nothing, because OBX-4 must distinguish only those with the same code         documented [1][7]
/// [1] and [2] of HL7ORU.swift   [6] GE B40 HL7 reference 2062665-001, PCD-01 messages   [7] HL7 version 2 plus, data type OG:
/// in its original mode the sub-id is unique together with the code (OBX-3)
struct HL7SubID: Sendable, Hashable {
    var group: [UInt8] = []
    /// Empty if it is the code itself.
    var member: [UInt8] = []

    init() {}

    init(_ field: ArraySlice<UInt8>, code: [UInt8], _ separators: HL7Separators) {
        let components = separators.components(field)
        if components.count > 1, components[0].isEmpty {
            let place = components.dropFirst().map { $0 }
            group = place[0].isEmpty ? [] : [0x5E] + place[0]
            member = place.count > 1 ? place[1] : []
            return
        }
        group = separators.text(field)
        guard let point = group.lastIndex(of: 0x2E) else { return }
        member = Array(group[(point + 1)...])
        group = Array(group[..<point])
        if member == code { member = [] }
    }

    /// The orders (counted from 1 at each PID and OBR; 0 before) whose observations are numbered consecutively.
    static func numberedOrders(_ message: HL7Message) -> Set<Int> {
        var last: [Int: Int] = [:]
        var grouped: Set<Int> = []
        var order = 0
        for segment in message.segments {
            if segment.isNamed("PID") || segment.isNamed("OBR") { order += 1 }
            guard segment.isNamed("OBX") else { continue }
            let text = Array(segment.field(4))
            // Six digits: a message has far fewer segments.
            guard (1...6).contains(text.count), let number = text.span.digits(0, text.count), number > last[order] ?? -1 else {
                if !text.isEmpty { grouped.insert(order) }
                continue
            }
            last[order] = number
        }
        return Set(last.keys).subtracting(grouped)
    }
}

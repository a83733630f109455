/// Accepts one association and shows its first record; with `pushes` the next one from every third poll, beside a heart rate and an
/// arterial line. Association answers are one byte. `linked: yes` sends answers in three parts, `unit: kPa` kilopascals.
struct IntelliVueSimulator: CuffSimulator {
    private let script: SimulatorScript
    private var reader = FrameReader(IntelliVueFrame())
    private var isAssociated = false
    private var polls = 0

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        var actions: [SimulatorAction] = []
        for user in reader.wholeFrames(of: bytes).compactMap({ IntelliVueFrame.user($0.span) }) {
            actions += answer(user).map { .write(IntelliVueFrame.encode($0)) }
        }
        return actions
    }

    private mutating func answer(_ user: [UInt8]) -> [[UInt8]] {
        switch user.first {
        case IntelliVueAssociation.requestKind:
            isAssociated = true
            polls = 0
            let object: [UInt8] = [0x00, 0x21, 0, 0, 0, 0]
            let event = object + Self.clock + [0x0D, 0x06, 0x00, 0x0A] + object + [0, 0, 0, 0]
            let creation = IntelliVueMessage.message(2, 1, [0, 1, 0, 1] + IntelliVueMessage.word(event.count) + event)
            return [IntelliVueAssociation.item(IntelliVueAssociation.acceptKind, []), creation]
        case IntelliVueAssociation.releaseKind:
            isAssociated = false
            return [IntelliVueAssociation.item(IntelliVueAssociation.releasedKind, [])]
        case 0xE1 where isAssociated && user.count == 36 && user[11] == 7: return result(Array(user[8..<10]))
        default: return []
        }
    }

    /// 1/8 ms since the monitor was switched on.
    private static let clock: [UInt8] = [0x00, 0x12, 0x34, 0x56]

    private mutating func result(_ invoke: [UInt8]) -> [[UInt8]] {
        let current = script.pushes ? min(polls / 2, max(0, script.records.count - 1)) : 0
        polls += 1
        let record = script.records.indices.contains(current) ? script.records[current] : nil
        let stamp = record.map { [Self.attribute(0x0990, Self.time($0.time))] } ?? []
        let heart = Self.object(7, [Self.attribute(0x0950, Self.value(0x4182, 0, 0x0AA0, 72))])
        let line = Self.object(8, [Self.compound([(0x4A15, 142), (0x4A16, 76), (0x4A17, 98)], pressure)])
        let failed = record == nil || record?.failure != nil
        let parts = [(0x4A05, record?.systolic ?? 0), (0x4A06, record?.diastolic ?? 0), (0x4A07, record?.mean ?? 0)]
        let cuff = Self.object(9, [Self.compound(parts, failed ? Self.absent : pressure)] + stamp)
        let rate = failed ? Self.absent(0xF0E5, 0) : Self.value(0xF0E5, 0, 0x0AA0, record?.pulse ?? 0)
        let pulse = Self.object(10, [Self.attribute(0x0950, rate)])
        guard script.options["linked"] == "yes" else { return [message(2, [], invoke, [heart, line, cuff, pulse])] }
        return [
            message(5, [1, 1], invoke, [heart, line]), message(5, [3, 2], invoke, [cuff]), message(2, [], invoke, [pulse]),
        ]
    }

    private func message(_ kind: Int, _ part: [UInt8], _ invoke: [UInt8], _ objects: [[UInt8]]) -> [UInt8] {
        let contexts = IntelliVueAssociation.list([[0, 0] + IntelliVueAssociation.list(objects)])
        let poll = [0, 1] + Self.clock + Self.time(script.clock) + [0, 1, 0, 6, 0x08, 0x03] + contexts
        let action: [UInt8] = [0, 0x21, 0, 0, 0, 0, 0x0C, 0x16] + IntelliVueMessage.word(poll.count) + poll
        return IntelliVueMessage.message(2, kind, part + invoke + [0, 7] + IntelliVueMessage.word(action.count) + action)
    }

    private static func attribute(_ id: Int, _ value: [UInt8]) -> [UInt8] { IntelliVueAssociation.attribute(id, value) }

    private static func object(_ handle: Int, _ attributes: [[UInt8]]) -> [UInt8] {
        IntelliVueMessage.word(handle) + IntelliVueAssociation.list(attributes)
    }

    private static func compound(_ parts: [(Int, Int)], _ encode: (Int, Int) -> [UInt8]) -> [UInt8] {
        attribute(0x094B, IntelliVueAssociation.list(parts.map { encode($0.0, $0.1) }))
    }

    private static func value(_ code: Int, _ state: Int, _ unit: Int, _ mantissa: Int, exponent: UInt8 = 0) -> [UInt8] {
        IntelliVueMessage.word(code) + IntelliVueMessage.word(state) + IntelliVueMessage.word(unit)
            + IntelliVueMessage.long(UInt32(exponent) << 24 | UInt32(truncatingIfNeeded: mantissa) & 0xFF_FFFF)
    }

    private func pressure(_ code: Int, _ mmHg: Int) -> [UInt8] {
        guard script.options["unit"] == "kPa" else { return Self.value(code, 0, 0x0F20, mmHg) }
        return Self.value(code, 0, 0x0F03, Int((Double(mmHg) / Pressure.mmHgPerKPa * 10).rounded()), exponent: 0xFF)
    }

    private static func absent(_ code: Int, _: Int) -> [UInt8] { value(code, 0x8000, 0x0F20, 0x7F_FFFF) }

    private static func time(_ time: DeviceTime) -> [UInt8] { time.bcd + [0] }
}

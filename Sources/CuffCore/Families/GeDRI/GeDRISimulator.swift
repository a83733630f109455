/// A CARESCAPE monitor that shows its first record and sends it as requested. With `pushes` every second record is one of a running
/// measurement, and the next one has another result. It also shows an arterial line. `layout: old` puts all classes into one subrecord.
struct GeDRISimulator: CuffSimulator {
    private let script: SimulatorScript
    private var reader = FrameReader(GeDRIFrame())
    private var interval = 0
    private var current = 0
    private var isMeasuring = false
    private var isFirst = true
    private var seconds = 0
    private var number: UInt8 = 0

    init(_ script: SimulatorScript) { self.script = script }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .received(let bytes):
            return reader.wholeFrames(of: bytes).compactMap { GeDRIFrame.record($0.span) }.flatMap { obey($0) }
        case .timerFired(.poll) where interval > 0: return send()
        default: return []
        }
    }

    private mutating func obey(_ request: [UInt8]) -> [SimulatorAction] {
        guard request.count == 49, request[40] == 1 else { return [.note("a request that is not simulated")] }
        interval = Int(request[41]) | Int(request[42]) << 8
        guard interval > 0 else { return [.disarm(.poll), .note("stopped")] }
        return send()
    }

    private mutating func send() -> [SimulatorAction] {
        if !isFirst, script.pushes {
            if isMeasuring {
                isMeasuring = false
                current += 1
            } else {
                isMeasuring = current + 1 < script.records.count
            }
        }
        isFirst = false
        seconds += interval
        number &+= 1
        return [.write(GeDRIFrame.encode(record())), .arm(.poll, .seconds(interval))]
    }

    private func record() -> [UInt8] {
        let time = UInt32(truncatingIfNeeded: script.clock.wallSeconds + Int64(seconds))
        let clock = (0..<4).map { UInt8(truncatingIfNeeded: time >> UInt32(8 * $0)) }
        let isOld = script.options["layout"] == "old"
        let length = isOld ? GeDRIRecord.oldSubrecordLength : 4 * GeDRIRecord.subrecordLength
        var header = [UInt8](repeating: 0, count: GeDRIRecord.headerLength)
        let total = GeDRIRecord.headerLength + length
        header.replaceSubrange(0..<4, with: [UInt8(total & 255), UInt8(total >> 8), number, isOld ? 2 : 8])
        header.replaceSubrange(6..<10, with: clock)
        let starts = isOld ? [0] : (0..<4).map { $0 * GeDRIRecord.subrecordLength }
        for (index, start) in starts.enumerated() {
            header.replaceSubrange((16 + 3 * index)..<(19 + 3 * index), with: [UInt8(start & 255), UInt8(start >> 8), 1])
        }
        header[18 + 3 * starts.count] = 0xFF
        let classes = (0..<4).map { clock + ($0 == 0 ? basic() : [UInt8](repeating: 0, count: 270)) + [2, 0, 0x81, UInt8($0)] }
        if !isOld { return header + classes.joined() }
        let data = classes.flatMap { $0[4..<274] }
        return header + clock + data + [2, 0, 0x01, 0x00]
    }

    private func basic() -> [UInt8] {
        var data = [UInt8](repeating: 0, count: 270)
        data.replaceSubrange(16..<30, with: Self.group(label: 1, [14_200, 7_600, 9_800, 88]))
        let record = script.records.indices.contains(current) ? script.records[current] : nil
        var values = [Int](repeating: -32767, count: 4)
        if let record, record.failure == nil {
            values = [record.systolic * 100, record.diastolic * 100, record.mean * 100, record.pulse]
        }
        data.replaceSubrange(72..<86, with: Self.group(label: isMeasuring ? 0x2B : 0x0B, values))
        return data
    }

    private static func group(label: Int, _ values: [Int]) -> [UInt8] { [3, 0, 0, 0] + [UInt8](littleEndian: [label] + values) }
}

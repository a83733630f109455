/// A BP+ with its records in memory; `s 0` measures the next one. Its documents have version 6.0.
struct UscomSimulator: CuffSimulator {
    private static let pressures = [0, 40, 100, 160, 130, 95, 60]

    private let script: SimulatorScript
    private var buffer: [UInt8] = []
    private var stored: [SimulatedRecord]
    private var step: Int?
    private var next = 0
    private var clock: DeviceTime

    init(_ script: SimulatorScript) {
        self.script = script
        stored = script.records
        clock = script.clock
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .received(let bytes):
            buffer += bytes
            var actions: [SimulatorAction] = []
            while let end = buffer.firstIndex(of: 0x0A) {
                let line = String(decoding: buffer[..<end].filter { $0 != 0x0D }, as: UTF8.self)
                buffer.removeSubrange(...end)
                actions += obey(line)
            }
            return actions
        case .timerFired(.overall): return advance()
        default: return []
        }
    }

    private mutating func obey(_ line: String) -> [SimulatorAction] {
        let parts = line.split(separator: " ")
        switch (parts.first, parts.count) {
        case ("?"?, 1): return [say("ver2.4")]
        case ("f"?, 1):
            return [
                say("<Feature version=\"3.0\"><fw>4.4.44094</fw><sw>5.3.0.0</sw><hw>BPplusR7</hw><id>015D90DE1A0000DA</id></Feature>")
            ]
        case ("d"?, 2): return [say("D \(parts[1])")]
        case ("s"?, _):
            guard step == nil, !script.records.isEmpty else { return [say("F 17")] }
            step = 0
            return [say("M 03"), .arm(.overall, .milliseconds(400))]
        case ("c"?, 1):
            defer { step = nil }
            return step == nil ? [say("F 22")] : [.disarm(.overall), .note("deflated"), say("F 02"), say("M 02")]
        case ("y"?, 1): return [say(UscomTime.text(clock))]
        case ("y"?, 2):
            guard let time = UscomTime.time(parts[1]) else { return [say("F 24")] }
            clock = time
            return []
        case ("i"?, 2):
            let numbers = stored.indices.reversed().dropFirst(100 * (Int(parts[1]) ?? 0)).prefix(100)
            let list = Array(("IDs_Content" + numbers.map { " \($0 + 1)" }.joined() + "\r\n").utf8)
            return [say("IDs_H \(list.count) \(UscomCheck.of(list))"), .write(list)]
        case ("r"?, 2):
            guard let number = Int(parts[1]), stored.indices.contains(number - 1) else { return [say("F 09")] }
            return [.write(document(stored[number - 1], number: number))]
        default: return [say("E unknown"), say("F 14")]
        }
    }

    private mutating func advance() -> [SimulatorAction] {
        guard let now = step else { return [] }
        if now < Self.pressures.count {
            step = now + 1
            return [say("P " + Decimal.text(Self.pressures[now], 3)), .arm(.overall, .milliseconds(400))]
        }
        step = nil
        let record = script.records[min(next, script.records.count - 1)]
        next += 1
        guard record.failure == nil else { return [say("E no pulse"), say("F 01"), say("M 02")] }
        return [say("M 07"), .write(document(record, number: stored.count + next)), say("M 02")]
    }

    private func say(_ line: String) -> SimulatorAction { .write(Array((line + "\r\n").utf8)) }

    private func document(_ record: SimulatedRecord, number: Int) -> [UInt8] {
        let time = UscomTime.text(record.time)
        func part(_ from: Int, _ count: Int) -> String { String(time.dropFirst(from).prefix(count)) }
        let stamp = "\(part(0, 4))-\(part(4, 2))-\(part(6, 2))T\(part(8, 2)):\(part(10, 2)):\(part(12, 2))"
        let xml = Array(
            """
            <?xml version="1.0" encoding="utf-8" ?>\r
            <BPplus version="6.0">\r
            \t<PatientID></PatientID><MeasDataLogger version="6.0" nibp="TM2917" datetime="\(stamp)" software_version="5.3.0.0" \
            firmware_version="4.4.44094" device_id="015D90DE1A0000DA" guid="00000000-0000-4000-8000-\(Decimal.text(number, 9))000">\r
            \t\t<Sys>\(record.systolic)</Sys>\r
            \t\t<Dia>\(record.diastolic)</Dia>\r
            \t\t<Map>\(record.mean)</Map>\r
            \t\t<Pr>\(record.pulse)</Pr>\r
            \t\t<Alert></Alert>\r
            \t\t<RawCuffPressure>AAECAwQFBgcICQ==</RawCuffPressure>\r
            \t</MeasDataLogger>\r
            \t<Results><Result version="6.0"><cSys>\(record.systolic - 8)</cSys></Result></Results>\r
            </BPplus>
            """.utf8)
        return Array("|_XML_Size\(xml.count) \(UscomCheck.of(xml))_|\r\n".utf8) + xml + [0x0D, 0x0A]
    }
}

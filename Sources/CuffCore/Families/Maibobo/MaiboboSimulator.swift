/// Acknowledges connect, start and stop, sends live pressure, then its next record.
struct MaiboboSimulatedCuff: SimulatedBoard {
    static let sendsResults = true
    static let push = BoardPush.result
    static let commandLength = 8
    private var acknowledgement: [UInt8] = []

    init(_ options: [String: String]) {}

    mutating func command(_ frame: [UInt8]) -> BoardCommand? {
        guard frame.starts(with: [0xCC, 0x80]), frame[3] == 3, frame[4] == 1, Array(frame[2..<7]).xor8 == frame[7],
            let command = MaiboboCommand(rawValue: frame[5])
        else { return nil }
        acknowledgement = MaiboboFrame.encode(0xAA, proto: frame[2], [0x01, command.rawValue, 0x00])
        return command == .connect ? .other : command == .start ? .start : .stop
    }

    func confirmation(of command: BoardCommand) -> [UInt8] { acknowledgement }
    func end(of record: SimulatedRecord?) -> [UInt8] { [] }

    /// Both offsets of the sources, so that either option shows the pressure.
    func pressure(_ pressure: Int) -> [UInt8] {
        let low = UInt8(clamping: pressure)
        return MaiboboFrame.encode(0xAA, proto: 3, [0x01, 0x05, 0, low, 0, 0, low, 0])
    }

    func result(_ record: SimulatedRecord) -> [UInt8] {
        if let failure = record.failure {
            return MaiboboFrame.encode(0xAA, proto: 3, [0x01, 0x07, UInt8(MaiboboSession.failures.code(failure) ?? 0x06)])
        }
        let values = [UInt8](bigEndian: [record.systolic, record.diastolic, record.pulse])
        return MaiboboFrame.encode(0xAA, proto: 3, [0x01, 0x06, 0x01] + record.time.fields + [record.time.second] + values)
    }
}

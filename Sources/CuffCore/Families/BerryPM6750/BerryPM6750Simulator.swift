/// A PM6750 with ECG packets beside those of the cuff, as on a board whose other channels are enabled.
struct BerrySimulatedBoard: SimulatedBoard {
    static let sendsResults = true
    static let push = BoardPush.nothing
    static let commandLength = 6
    private static let ecg = BerryPM6750Frame.encode([0x01] + [UInt8](repeating: 0x80, count: 7))

    init(_ options: [String: String]) {}

    func command(_ bytes: [UInt8]) -> BoardCommand? {
        bytes == BerryPM6750Command.start ? .start : bytes == BerryPM6750Command.stop ? .stop : nil
    }

    func pressure(_ pressure: Int) -> [UInt8] { Self.ecg + Self.packet(status: 1, cuff: UInt8(pressure / 2)) }
    func end(of record: SimulatedRecord?) -> [UInt8] { record == nil ? Self.packet(status: 2) : [] }

    /// Three times, as a board repeats it.
    func result(_ record: SimulatedRecord) -> [UInt8] {
        let values = record.failure == nil ? [record.systolic, record.mean, record.diastolic] : [0, 0, 0]
        let packet = Self.packet(status: record.failure.map { BerryPM6750Session.failures.code($0) ?? 6 } ?? 0, values: values)
        return packet + packet + packet + Self.ecg
    }

    private static func packet(status: Int, cuff: UInt8 = 0, values: [Int] = [0, 0, 0]) -> [UInt8] {
        BerryPM6750Frame.encode([0x03, UInt8(status) << 2, cuff] + values.map { UInt8(clamping: $0) })
    }
}

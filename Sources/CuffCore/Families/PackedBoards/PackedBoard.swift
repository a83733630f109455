/// What differs between the makes of boards with packed frames.
protocol PackedMake: Sendable {
    static var sheet: CuffDriver { get }
    static var frames: PackedFrame { get }
    /// The identifier of the start; stop, status and result follow it as in `PackedCommand`.
    static var commands: UInt8 { get }
    /// The identifier of the cuff pressure; the others follow it as in `PackedResults.Kind`.
    static var reports: UInt8 { get }
    static func encode(_ identifier: UInt8, _ data: [UInt8]) -> [UInt8]
    /// The identifier and the data behind it; empty for other modules.
    static func content(_ frame: [UInt8]) -> ArraySlice<UInt8>
}

extension PackedMake {
    static func command(_ command: PackedCommand) -> [UInt8] { encode(commands + command.rawValue, []) }
}

enum PackedCommand: UInt8, CaseIterable { case start = 0, stop = 1, status = 6, result = 9 }

struct PackedBoard<Make: PackedMake>: Board {
    static var driver: DriverID { Make.sheet.id }
    static var capabilities: Capabilities { Make.sheet.capabilities }
    let format = Make.frames
    private var results = PackedResults()

    init(_ context: SessionContext) {}

    var start: [UInt8]? { Make.command(.start) }
    var stop: [[UInt8]] { [Make.command(.stop)] }
    var highestPressure: Int? { results.highestPressure }
    var resultQuestion: [UInt8]? { Make.command(.result) }
    var statusQuestion: [UInt8]? { Make.command(.status) }

    mutating func read(_ frame: [UInt8]) -> [BoardMessage] {
        let content = Make.content(frame)
        guard let kind = content.first.flatMap({ PackedResults.Kind(rawValue: $0 &- Make.reports) }) else { return [.otherModule] }
        return results.read(kind, Array(content.dropFirst()), raw: frame)
    }

    mutating func takeWaiting() -> BoardMessage? { results.takeWaiting() }
}

/// Does not confirm a start; sends an end, and the result on request.
struct PackedSimulatedBoard<Make: PackedMake>: SimulatedBoard {
    static var sendsResults: Bool { false }
    static var commandLength: Int { Make.command(.start).count }

    init(_ options: [String: String]) {}

    func command(_ bytes: [UInt8]) -> BoardCommand? {
        switch PackedCommand.allCases.first(where: { bytes == Make.command($0) }) {
        case .start?: .start
        case .stop?: .stop
        case .status?: .status
        case .result?: .result
        case nil: nil
        }
    }

    private func report(_ kind: PackedResults.Kind, _ data: [UInt8]) -> [UInt8] { Make.encode(Make.reports + kind.rawValue, data) }

    func pressure(_ pressure: Int) -> [UInt8] { report(.pressure, [UInt8](bigEndian: [pressure]) + [0, 1]) }
    func end(of record: SimulatedRecord?) -> [UInt8] { report(.end, [record?.failure == nil ? 1 : 10]) }
    func status(_ record: SimulatedRecord?) -> [UInt8] { report(.status, [0, 0, record?.failure == nil ? 0 : 2, 0, 0]) }

    func result(_ record: SimulatedRecord) -> [UInt8] {
        report(.pressures, [UInt8](bigEndian: [record.systolic, record.diastolic, record.mean]))
            + report(.pulse, [UInt8](bigEndian: [record.pulse]))
    }
}

enum BoardCommand { case start, stop, result, status, other }

/// The board's side of a `Board`.
protocol SimulatedBoard: Sendable {
    init(_ options: [String: String])
    /// Sent when the line opens; may be empty.
    var greeting: [UInt8] { get }
    /// Removes the first command, or one byte that begins none; `nil` if more bytes are needed.
    mutating func takeCommand(from bytes: inout [UInt8]) -> BoardCommand?
    func confirmation(of command: BoardCommand) -> [UInt8]
    func pressure(_ pressure: Int) -> [UInt8]
    func end(of record: SimulatedRecord?) -> [UInt8]
    func result(_ record: SimulatedRecord) -> [UInt8]
    func status(_ record: SimulatedRecord?) -> [UInt8]
    /// The result is sent unasked, before the end; otherwise on request.
    static var sendsResults: Bool { get }
}

extension SimulatedBoard {
    var greeting: [UInt8] { [] }
    func status(_ record: SimulatedRecord?) -> [UInt8] { [] }
}

/// A start gives the next record after six pressures; with `pushes` it measures without a start, as by its own key.
struct BoardSimulator<Make: SimulatedBoard>: CuffSimulator {
    private static var pressures: [Int] { [40, 100, 160, 130, 95, 60] }

    private let script: SimulatorScript
    private var board: Make
    private var buffer: [UInt8] = []
    private var step: Int?
    private var next = 0

    init(_ script: SimulatorScript) {
        self.script = script
        board = Make(script.options)
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened:
            let greeting: [SimulatorAction] = board.greeting.isEmpty ? [] : [.write(board.greeting)]
            return greeting + (script.pushes && !script.records.isEmpty ? [.arm(.poll, script.interval)] : [])
        case .received(let bytes):
            buffer += bytes
            var actions: [SimulatorAction] = []
            while let command = board.takeCommand(from: &buffer) { actions += obey(command) }
            return actions
        case .timerFired(.overall): return advance()
        case .timerFired(.poll): return push()
        default: return []
        }
    }

    private var record: SimulatedRecord? { script.records.isEmpty ? nil : script.records[min(next, script.records.count - 1)] }
    private var latest: SimulatedRecord? { next > 0 ? script.records[min(next, script.records.count) - 1] : nil }

    private mutating func obey(_ command: BoardCommand) -> [SimulatorAction] {
        let confirmation = board.confirmation(of: command)
        let confirm: [SimulatorAction] = confirmation.isEmpty ? [] : [.write(confirmation)]
        switch command {
        case .start:
            guard record != nil else { return [] }
            step = 0
            return [.disarm(.poll)] + confirm + [.arm(.overall, .milliseconds(400))]
        case .stop:
            step = nil
            return [.disarm(.overall), .note("deflated")] + confirm + [.write(board.end(of: nil))]
        case .result: return confirm + (latest.map { [.write(board.result($0))] } ?? [])
        case .status: return confirm + [.write(board.status(latest))]
        case .other: return confirm
        }
    }

    private mutating func advance() -> [SimulatorAction] {
        guard let now = step else { return [] }
        if now < Self.pressures.count {
            step = now + 1
            return [.write(board.pressure(Self.pressures[now])), .arm(.overall, .milliseconds(400))]
        }
        return end()
    }

    private mutating func end() -> [SimulatorAction] {
        step = nil
        guard let record else { return [] }
        next += 1
        return (Make.sendsResults ? [.write(board.result(record))] : []) + [.write(board.end(of: record))]
    }

    /// A measurement started by the board's own key, sent at once.
    private mutating func push() -> [SimulatorAction] {
        guard step == nil, next < script.records.count, let record else { return [] }
        var actions: [SimulatorAction] = [.write(board.pressure(Self.pressures[2]))] + end()
        if !Make.sendsResults, record.failure == nil { actions.append(.write(board.result(record))) }
        return actions + (next < script.records.count ? [.arm(.poll, script.interval)] : [])
    }
}

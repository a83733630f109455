enum BoardCommand { case start, stop, result, status, other }

/// What the simulator's pushes send: nothing, each result, or a pressure before it too.
enum BoardPush { case nothing, result, run }

/// The board's side of a `Board`.
protocol SimulatedBoard: Sendable {
    init(_ options: [String: String])
    /// Sent when the line opens; may be empty.
    var greeting: [UInt8] { get }
    static var commandLength: Int { get }
    /// The command in as many bytes; `nil` where none begins.
    mutating func command(_ bytes: [UInt8]) -> BoardCommand?
    /// May be empty.
    func confirmation(of command: BoardCommand) -> [UInt8]
    func pressure(_ pressure: Int) -> [UInt8]
    func end(of record: SimulatedRecord?) -> [UInt8]
    func result(_ record: SimulatedRecord) -> [UInt8]
    func status(_ record: SimulatedRecord?) -> [UInt8]
    /// The result is sent unasked, before the end; otherwise on request.
    static var sendsResults: Bool { get }
    static var push: BoardPush { get }
}

extension SimulatedBoard {
    static var push: BoardPush { .run }
    var greeting: [UInt8] { [] }
    func confirmation(of command: BoardCommand) -> [UInt8] { [] }
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
            let pushes = script.pushes && Make.push != .nothing && !script.records.isEmpty
            return say(board.greeting) + (pushes ? [.arm(.poll, script.interval)] : [])
        case .received(let bytes):
            buffer += bytes
            var actions: [SimulatorAction] = []
            while buffer.count >= Make.commandLength {
                let command = board.command(Array(buffer.prefix(Make.commandLength)))
                buffer.removeFirst(command == nil ? 1 : Make.commandLength)
                if let command { actions += obey(command) }
            }
            return actions
        case .timerFired(.overall): return advance()
        case .timerFired(.poll): return push()
        default: return []
        }
    }

    private var record: SimulatedRecord? { script.records.isEmpty ? nil : script.records[min(next, script.records.count - 1)] }
    private var latest: SimulatedRecord? { next > 0 ? script.records[min(next, script.records.count) - 1] : nil }

    private mutating func obey(_ command: BoardCommand) -> [SimulatorAction] {
        let confirm = say(board.confirmation(of: command))
        switch command {
        case .start:
            guard record != nil else { return [] }
            step = 0
            return [.disarm(.poll)] + confirm + [.arm(.overall, .milliseconds(400))]
        case .stop:
            step = nil
            return [.disarm(.overall), .note("deflated")] + confirm + say(board.end(of: nil))
        case .result: return confirm + (latest.map { say(board.result($0)) } ?? [])
        case .status: return confirm + say(board.status(latest))
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
        return say(Make.sendsResults ? board.result(record) : []) + say(board.end(of: record))
    }

    private func say(_ bytes: [UInt8]) -> [SimulatorAction] { bytes.isEmpty ? [] : [.write(bytes)] }

    /// A measurement started by the board's own key, sent at once.
    private mutating func push() -> [SimulatorAction] {
        guard step == nil, next < script.records.count, let record else { return [] }
        var actions = (Make.push == .run ? say(board.pressure(Self.pressures[2])) : []) + end()
        if !Make.sendsResults, record.failure == nil { actions.append(.write(board.result(record))) }
        return actions + (next < script.records.count ? [.arm(.poll, script.interval)] : [])
    }
}

/// Why a sink cannot be used, or does not take what it is given. The first text is the sink as the user writes it, or its file.
public enum SinkFault: Fault {
    case unknown(String, known: [String], nearest: String?)
    /// Neither a built-in scheme nor that of a helper program.
    case noHelper(String, scheme: String, program: String, folder: String, nearest: String?, known: [String])
    /// The helper program of a known scheme is not installed.
    case helperMissing(String, program: String, folder: String)
    /// `example` is a whole sink that would do.
    case malformed(String, why: String, example: String)
    /// Every user of this machine can read arguments. `place` says what of the address is secret; `credential` is the name under
    /// which it may be kept.
    case secretInAddress(scheme: String, place: String, program: String, credential: String?)
    /// There is no such program.
    case noProgram(String, program: String)
    case cannotStart(String, errno: Int32)
    case ended(String)
    case unreachable(String, errno: Int32)
    /// A connection that stood is gone; `errno` is `nil` where it only has not taken every line.
    case wentAway(String, errno: Int32?)
    /// The helper says that its server is away.
    case later(String, reason: String)
    /// The helper says that it is set up wrongly.
    case fatal(String, reason: String)
    case protocolBroken(String, why: String)
    case noOutbox(String)
    case outboxFull(String, waiting: Int)
    /// Another run of the program sends these lines.
    case outboxHeld(String)
    case foreignFile(String, why: String)
    /// Lines that a power cut has left were removed.
    case damagedLines(String, count: Int)
    case restless(String)
    /// The list of the readings that a file holds cannot be kept.
    case noIndex(why: String)
    case noDatabase(places: [String])
    case dropNotConfirmed(String)
    /// It tells nobody which cuffs there are, so there is nothing to forget.
    case nothingAnnounced(String)

    /// What kind of failure it is.
    public var status: RunStatus {
        switch self {
        case .unknown, .noHelper, .malformed, .secretInAddress, .noOutbox, .dropNotConfirmed, .nothingAnnounced: .usage
        case .helperMissing, .noProgram, .cannotStart, .ended, .unreachable, .wentAway, .later: .unavailable
        case .fatal: .badConfiguration
        case .protocolBroken: .protocolFault
        case .outboxFull, .outboxHeld, .restless: .tryAgain
        case .foreignFile: .cannotCreate
        case .damagedLines, .noIndex: .inputOutput
        case .noDatabase: .noInput
        }
    }

    /// What happened, in one plain line.
    public var description: String {
        switch self {
        case .unknown(let name, let known, _): "unknown sink `\(name)`: known are \(known.joined(separator: ", "))"
        case .noHelper(let name, let scheme, let program, let folder, _, _):
            "unknown sink `\(name)`: no built-in scheme is called `\(scheme)`, and \(program) is neither in \(folder) nor on PATH"
        case .helperMissing(let name, let program, let folder): "cannot start \(name): \(program) is neither in \(folder) nor on PATH"
        case .malformed(let name, let why, _): "invalid sink `\(name)`: \(why)"
        case .secretInAddress(let scheme, let place, _, _):
            "the address of \(scheme): has a \(place) in it: every user of this machine can read arguments"
        case .noProgram(let name, let program): "cannot start \(name): there is no program `\(program)`"
        case .cannotStart(let name, let number): "cannot start \(name): \(SystemFault.lowercased(number))"
        case .ended(let name): "\(name) ended: it takes no more lines"
        case .unreachable(let name, let number): "cannot reach \(name): \(SystemFault.lowercased(number))"
        case .wentAway(let name, let number):
            "\(name) went away: \(number.map { SystemFault.lowercased($0) } ?? "it has not taken every line")"
        case .later(let name, let reason): "\(name) takes nothing now: \(reason)"
        case .fatal(let name, let reason): "\(name) cannot work as it is set up: \(reason)"
        case .protocolBroken(let name, let why): "\(name) does not keep to the protocol of +ack: \(why)"
        case .noOutbox(let name):
            "there is no place for what waits for \(name): neither a database nor a home folder is known"
        case .outboxFull(let name, let waiting): "\(name) takes no more: \(waiting) lines wait for it already"
        case .outboxHeld(let path): "another run of cuff sends these lines: it holds \(path)"
        case .foreignFile(let path, let why): "cannot append to \(path): \(why)"
        case .damagedLines(let path, let count):
            "\(path) held \(Plural.text(count, "damaged line")), which \(count == 1 ? "was" : "were") removed: a power cut leaves such"
        case .restless(let path): "cannot write \(path): it is renamed, removed or emptied again and again"
        case .noIndex(let why): "cannot keep the list of readings that the file holds: \(why)"
        case .noDatabase(let places): "there is no database to look at: none of \(places.joined(separator: ", ")) is there"
        case .nothingAnnounced(let name): "nothing is announced at \(name): only MQTT brokers are told which cuffs there are"
        case .dropNotConfirmed(let name): "nothing was dropped: lines that are dropped never reach \(name)"
        }
    }
}

/// Why a sink cannot be used, or does not take what it is given. The first text is the sink as the user writes it, or its file.
public enum SinkFault: Fault {
    case unknown(String, known: [String], nearest: String?)
    /// Neither a built-in scheme nor that of a helper program.
    case noHelper(String, scheme: String, program: String, folder: String, nearest: String?, known: [String])
    /// The helper program of a known scheme is not installed.
    case helperMissing(String, program: String, folder: String)
    /// `example` is a whole sink that would do.
    case malformed(String, why: String, example: String)
    /// Every user of this machine can read arguments. `place` names the secret part of the address; `credential` is the name under
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
    /// The sink announces no cuffs, so there is nothing to remove.
    case nothingAnnounced(String)

    /// What kind of failure each is, and what happened.
    public var statement: (status: RunStatus, text: String) {
        switch self {
        case .unknown(let name, let known, _): (.usage, "unknown sink `\(name)`: known are \(known.joined(separator: ", "))")
        case .noHelper(let name, let scheme, let program, let folder, _, _):
            (.usage, "unknown sink `\(name)`: no built-in scheme is called `\(scheme)`, and \(program) is neither in \(folder) nor on PATH")
        case .helperMissing(let name, let program, let folder):
            (.unavailable, "cannot start \(name): \(program) is neither in \(folder) nor on PATH")
        case .malformed(let name, let why, _): (.usage, "invalid sink `\(name)`: \(why)")
        case .secretInAddress(let scheme, let place, _, _):
            (.usage, "the address of \(scheme): has a \(place) in it: every user of this machine can read arguments")
        case .noProgram(let name, let program): (.unavailable, "cannot start \(name): there is no program `\(program)`")
        case .cannotStart(let name, let number): (.unavailable, "cannot start \(name): \(SystemFault.lowercased(number))")
        case .ended(let name): (.unavailable, "\(name) ended: it takes no more lines")
        case .unreachable(let name, let number): (.unavailable, "cannot reach \(name): \(SystemFault.lowercased(number))")
        case .wentAway(let name, let number):
            (.unavailable, "\(name) went away: \(number.map { SystemFault.lowercased($0) } ?? "it has not taken every line")")
        case .later(let name, let reason): (.unavailable, "\(name) takes nothing now: \(reason)")
        case .fatal(let name, let reason): (.badConfiguration, "\(name) cannot work as it is set up: \(reason)")
        case .protocolBroken(let name, let why): (.protocolFault, "\(name) does not keep to the protocol of +ack: \(why)")
        case .noOutbox(let name):
            (.usage, "there is no place for what waits for \(name): neither a database nor a home folder is known")
        case .outboxFull(let name, let waiting): (.tryAgain, "\(name) takes no more: \(waiting) lines wait for it already")
        case .outboxHeld(let path): (.tryAgain, "another run of cuff sends these lines: it holds \(path)")
        case .foreignFile(let path, let why): (.cannotCreate, "cannot append to \(path): \(why)")
        case .damagedLines(let path, let count):
            (
                .inputOutput,
                "\(path) held \(Plural.text(count, "damaged line")), which \(count == 1 ? "was" : "were") removed: a power cut leaves such"
            )
        case .restless(let path): (.tryAgain, "cannot write \(path): it is renamed, removed or emptied again and again")
        case .noIndex(let why): (.inputOutput, "cannot keep the list of readings that the file holds: \(why)")
        case .noDatabase(let places): (.noInput, "there is no database to look at: none of \(places.joined(separator: ", ")) is there")
        case .nothingAnnounced(let name): (.usage, "nothing is announced at \(name): only MQTT sinks announce cuffs")
        case .dropNotConfirmed(let name): (.usage, "nothing was dropped: lines that are dropped never reach \(name)")
        }
    }
}

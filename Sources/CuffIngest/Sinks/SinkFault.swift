/// Errors of sinks. The first text is the sink as the user writes it, or its file.
public enum SinkFault: Fault {
    case unknown(String, known: [String], nearest: String?)
    case noHelper(String, scheme: String, program: String, folder: String, nearest: String?, known: [String])
    case helperMissing(String, program: String, folder: String)
    /// `example` is a valid sink.
    case malformed(String, why: String, example: String)
    /// Every user of this machine can read arguments. `place` names the secret part of the address; `credential` is the name
    /// under which it may be stored.
    case secretInAddress(scheme: String, place: String, program: String, credential: String?)
    case noProgram(String, program: String)
    case cannotStart(String, errno: Int32)
    case ended(String)
    case unreachable(String, errno: Int32)
    /// The connection broke; `errno` is `nil` if only some lines were not accepted.
    case wentAway(String, errno: Int32?)
    case later(String, reason: String)
    case fatal(String, reason: String)
    case protocolBroken(String, why: String)
    case noOutbox(String)
    case outboxFull(String, waiting: Int)
    case outboxHeld(String)
    case foreignFile(String, why: String)
    case damagedLines(String, count: Int)
    case restless(String)
    case noIndex(why: String)
    case noDatabase(places: [String])
    case dropNotConfirmed(String)
    case noQueue(String)
    case nothingAnnounced(String)

    /// The kind of failure, and a message.
    public var statement: (status: RunStatus, text: String) {
        switch self {
        case .unknown(let name, let known, _): (.usage, "unknown sink `\(name)`: known are \(known.joined(separator: ", "))")
        case .noHelper(let name, let scheme, let program, let folder, _, _):
            (.usage, "unknown sink `\(name)`: no built-in scheme is called `\(scheme)`, and \(program) is neither in \(folder) nor on PATH")
        case .helperMissing(let name, let program, let folder):
            (.unavailable, "cannot start \(name): \(program) is neither in \(folder) nor on PATH")
        case .malformed(let name, let why, _): (.usage, "cannot use `\(name)`: \(why)")
        case .secretInAddress(let scheme, let place, _, _):
            (.usage, "the address of \(scheme): has a \(place) in it: every user of this machine can read arguments")
        case .noProgram(let name, let program): (.unavailable, "cannot start \(name): there is no program `\(program)`")
        case .cannotStart(let name, let number): (.unavailable, "cannot start \(name): \(SystemFault.lowercased(number))")
        case .ended(let name): (.unavailable, "\(name) ended: it accepts no more lines")
        case .unreachable(let name, let number): (.unavailable, "cannot reach \(name): \(SystemFault.lowercased(number))")
        case .wentAway(let name, let number):
            (.unavailable, "\(name) went away: \(number.map { SystemFault.lowercased($0) } ?? "it has not taken every line")")
        case .later(let name, let reason): (.unavailable, "\(name) is not accepting readings: \(reason)")
        case .fatal(let name, let reason): (.badConfiguration, "\(name) is misconfigured: \(reason)")
        case .protocolBroken(let name, let why): (.protocolFault, "\(name) violates the +ack protocol: \(why)")
        case .noOutbox(let name):
            (.usage, "cannot queue lines for \(name): neither a database nor a home folder is known")
        case .outboxFull(let name, let waiting): (.tryAgain, "the queue of \(name) is full: \(waiting) lines")
        case .outboxHeld(let path): (.tryAgain, "another run of cuff sends these lines: it holds \(path)")
        case .foreignFile(let path, let why): (.cannotCreate, "cannot append to \(path): \(why)")
        case .damagedLines(let path, let count):
            (
                .inputOutput,
                "\(path) held \(Plural.text(count, "damaged line")), which \(count == 1 ? "was" : "were") removed: from a power failure"
            )
        case .restless(let path): (.tryAgain, "cannot write \(path): it is repeatedly renamed, removed or emptied")
        case .noIndex(let why): (.inputOutput, "cannot keep the list of readings that the file holds: \(why)")
        case .noDatabase(let places): (.noInput, "no database found: none of \(places.joined(separator: ", ")) exists")
        case .nothingAnnounced(let name): (.usage, "nothing is announced at \(name): only MQTT sinks announce cuffs")
        case .noQueue(let name): (.noInput, "there is no queue of \(name)")
        case .dropNotConfirmed(let name): (.usage, "nothing was dropped: lines that are dropped never reach \(name)")
        }
    }
}

import Glibc
import HTTPSink
import RemoteSink

@main
struct Main {
    /// Delivery time after the end of input. `cuff` waits for less; a user with a pipe does not.
    private static let endLimit = 30.0

    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "--check" { exit(check(arguments[2])) }
        guard arguments.count == 2, let argument = arguments.last, argument != "--help", argument != "-h" else {
            say(usage)
            exit(arguments.dropFirst().first.map { $0 == "--help" || $0 == "-h" } == true ? 0 : EX_USAGE)
        }
        let conversation = Conversation()
        conversation.greet()
        do throws(ConfigurationFault) {
            let target = try HTTPTarget(argument, host: ownHostName())
            try deliver(target, conversation)
        } catch { conversation.answer(.fatal(error.description)) }
    }

    private static func check(_ argument: String) -> Int32 {
        CheckResult.tell { () throws(ConfigurationFault) in
            let target = try HTTPTarget(argument, host: ownHostName())
            let server = try Server(target, Credentials())
            return HTTPCheck.run(target.format.checks) { server.perform($0) }
        }
    }

    private static let usage = """
        usage: cuff-sink-http ADDRESS
               cuff-sink-http --check ADDRESS                  tells whether that would work; stores nothing
        Delivers readings to a server; started by cuff (--sink ADDRESS). One line of JSON for each reading on standard input.
          influx+https://USER@HOST/?db=NAME               InfluxDB 1.x     influx.password
          influx+https://HOST/?org=NAME&bucket=NAME       InfluxDB 2.x     influx.token
          fhir+https://HOST/BASE?subject=Patient/ID       FHIR R4          fhir.password, fhir.token or fhir.key
          https://HOST/PATH                               any endpoint     http.password or http.token
        Credentials are files in $CREDENTIALS_DIRECTORY or ~/.config/cuff/credentials (mode 0600). See docs/HTTP.md.
        """

    private static func deliver(_ target: HTTPTarget, _ conversation: Conversation) throws(ConfigurationFault) {
        let server = try Server(target, Credentials())
        var state = DeliveryState(target.format)
        var end: Double?
        let parent = getppid()
        while !conversation.isOver {
            read(conversation, &state)
            if conversation.isClosed {
                // If the parent was killed, the next helper resends unanswered lines, and two helpers could collide at a server
                // that does not serialise its conditional creates.
                if getppid() != parent { return }
                let until = end ?? monotonicSeconds() + endLimit
                end = until
                if state.isIdle || monotonicSeconds() > until { return }
            }
            var answers: [Answer] = []
            if let request = state.next(&answers) {
                if !answers.isEmpty { conversation.answer(answers) }
                answers.removeAll()
                let start = monotonicSeconds()
                let outcome = server.perform(request)
                state.handle(outcome, seconds: monotonicSeconds() - start, &answers)
            }
            if !answers.isEmpty { conversation.answer(answers) }
        }
    }

    /// Reads input; blocks if there is nothing to do.
    private static func read(_ conversation: Conversation, _ state: inout DeliveryState) {
        if state.isIdle, conversation.descriptor >= 0 {
            var entry = pollfd(fd: conversation.descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, -1)
        }
        while state.hasRoom, !conversation.isOver {
            let inputs = conversation.receive()
            for input in inputs {
                switch input {
                case .reading(let reading): state.accept(reading)
                case .status: break
                case .unreadable: conversation.answer(.fatal("a line on standard input is not a reading"))
                }
            }
            if inputs.isEmpty { return }
        }
    }
}

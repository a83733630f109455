import Glibc
import PersonNames
import PostgresStore
import RemoteSink

/// Performs the effects of `DeliveryState`: one poll() for lines, the database and timers.
struct Delivery {
    private let conversation: Conversation
    private let connection: Connection
    private let machine: String
    private let persons: PersonRule
    private var state = DeliveryState()
    private var isDone = false

    /// Limits libpq's blocking name lookup with SIGALRM, in seconds.
    private static let lookUp: UInt32 = 20

    init(_ address: PostgresAddress, _ conversation: Conversation, _ persons: PersonRule) {
        self.persons = persons
        self.conversation = conversation
        connection = Connection(address, program: "cuff-sink-postgres")
        machine = ownHostName()
        signal(SIGALRM) { _ in
            let text: StaticString = "later the name servers did not answer within 20 s\n"
            _ = write(1, text.utf8Start, text.utf8CodeUnitCount)
            _exit(0)
        }
    }

    mutating func run() {
        perform(state.start(at: monotonicSeconds()))
        while !isDone { wait() }
    }

    private mutating func handle(_ event: DeliveryState.Event) { perform(state.handle(event, at: monotonicSeconds())) }

    private mutating func perform(_ effects: [DeliveryState.Effect]) {
        for effect in effects {
            switch effect {
            case .connect:
                alarm(Self.lookUp)
                handle(.database(connection.start()))
                alarm(0)
            case .execute(let readings):
                let parameter = ReadingStatement.parameter(readings.map { ReadingStatement.Item($0, machine: machine) })
                handle(.database(connection.execute(ReadingStatement.insert, parameter)))
            case .disconnect: connection.close()
            case .answer(let answers): conversation.answer(answers)
            case .exit: isDone = true
            }
        }
    }

    private mutating func wait() {
        let limit = state.wakeAt.map { max(0, $0 - monotonicSeconds()) } ?? 3600
        var entries = [
            pollfd(fd: state.wantsInput ? conversation.descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connection.descriptor, events: connection.events, revents: 0),
        ]
        guard poll(&entries, 2, Int32(min(limit, 3600) * 1000) + 1) > 0 else { return handle(.time) }
        if entries[1].revents != 0 {
            alarm(Self.lookUp)
            let progress = connection.advance()
            alarm(0)
            handle(.database(progress))
        }
        if entries[0].revents != 0 {
            let lines = conversation.receive().map { (input) -> Conversation.Input in
                guard case .reading(let line) = input else { return input }
                return .reading(persons.apply(line))
            }
            if !lines.isEmpty { handle(.received(lines)) }
            if conversation.isClosed { handle(.inputEnded) }
        }
        handle(.time)
    }
}

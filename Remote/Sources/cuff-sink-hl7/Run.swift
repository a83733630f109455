import Glibc
import HL7Sink
import RemoteSink

/// Performs the effects of `HL7State`: one thread, one poll() for `cuff`, the receiver and timers.
final class Run {
    private let conversation: Conversation
    private let target: HL7Target
    private var state: HL7State
    private var connection: Connection?
    private var status: Int32 = 0
    private var hasSaidClosed = false

    init(_ target: HL7Target, _ conversation: Conversation) {
        self.target = target
        self.conversation = conversation
        state = HL7State(target)
    }

    /// Returns the exit status.
    func run() -> Int32 {
        while !state.isOver {
            wait()
            if conversation.isClosed && !hasSaidClosed {
                hasSaidClosed = true
                handle(.inputClosed)
            }
            handle(.time)
        }
        return status
    }

    private func wait() {
        var limit = 1.0
        if let wake = state.wakeAt { limit = min(limit, max(0, wake - monotonicSeconds())) }
        var entries = [
            pollfd(fd: state.wantsInput ? conversation.descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connection?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&entries, 2, Int32(limit * 1000) + 1) >= 0 else { return }
        // The receiver first: it may have closed the connection that the next message would use.
        if entries[1].revents != 0 { receive() }
        guard entries[0].revents != 0 else { return }
        for input in conversation.receive() {
            switch input {
            case .reading(let line): handle(.reading(line))
            case .status: break
            case .unreadable: handle(.unreadable)
            }
        }
    }

    /// TLS may hold bytes that poll() does not see.
    private func receive() {
        while let current = connection {
            switch current.receive() {
            case .bytes(let bytes): handle(.received(bytes))
            case .nothing: return
            case .closed: return handle(.lost("the receiver at \(target.place) closed the connection before it answered"))
            }
        }
    }

    private func handle(_ event: HL7State.Event) {
        var events = [event]
        while !events.isEmpty {
            for effect in state.handle(events.removeFirst(), at: monotonicSeconds()) {
                if let next = perform(effect) { events.append(next) }
            }
        }
    }

    private func perform(_ effect: HL7State.Effect) -> HL7State.Event? {
        switch effect {
        case .connect:
            let next = Connection(target)
            ConnectGuard.begin(Answer.later("no connection to the receiver at \(target.place) within 30 s").line, seconds: 30)
            let fault = next.open()
            ConnectGuard.end()
            guard let fault else {
                connection = next
                return .connected
            }
            return .failed(fault)
        case .send(let bytes): return connection?.send(bytes).map { .lost($0) }
        case .answer(let answer):
            conversation.answer(answer)
            status = answer.status ?? status
        case .drop: connection = nil
        case .exit: break
        }
        return nil
    }
}

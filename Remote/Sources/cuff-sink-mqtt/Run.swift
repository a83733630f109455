import Glibc
import PersonNames
import RemoteSink

/// Performs the effects of `MQTTState`: one thread, one poll() for `cuff`, the broker and timers.
final class Run {
    private let conversation: Conversation
    private let settings: Settings
    private let persons: PersonRule
    private var state: MQTTState
    private var broker: Broker?
    private var status: Int32 = 0
    private var hasSaidClosed = false
    private static let connectLimit = UInt32(MQTTState.Limits().connect)

    init(_ settings: Settings, _ conversation: Conversation, _ persons: PersonRule) {
        self.settings = settings
        self.conversation = conversation
        self.persons = persons
        var limits = MQTTState.Limits()
        limits.spread = Double.random(in: 0.5...1.5)
        state = MQTTState(settings, limits: limits)
    }

    func run() -> Int32 {
        handle(.time)
        while true {
            handleBroker()
            guard !state.isOver else { break }
            wait()
            if conversation.isClosed && !hasSaidClosed {
                hasSaidClosed = true
                handle(.inputClosed)
            }
            handleBroker()
            handle(.time)
        }
        return status
    }

    private func handleBroker() {
        // Events of a dropped connection do not apply to the next one.
        while let current = broker, let event = current.nextEvent() { handle(event) }
    }

    private func wait() {
        var limit = 1.0
        if let wake = state.wakeAt { limit = min(limit, max(0, wake - monotonicSeconds())) }
        let socket = broker?.socket ?? -1
        let wanted = POLLIN | (broker?.wantsWrite == true ? POLLOUT : 0)
        var entries = [
            pollfd(fd: state.wantsInput ? conversation.descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(wanted), revents: 0),
        ]
        guard poll(&entries, 2, Int32(limit * 1000) + 1) >= 0 else { return }
        if entries[0].revents != 0 { receive() }
        let ready = Int32(entries[1].revents)
        broker?.run(isReadable: ready & ~POLLOUT != 0, isWritable: ready & POLLOUT != 0)
    }

    private func receive() {
        for input in conversation.receive() {
            switch input {
            case .reading(let line): handle(.reading(persons.apply(line)))
            case .status(let report): handle(.status(report))
            case .unreadable: handle(.unreadable)
            }
        }
    }

    private func handle(_ event: MQTTState.Event) {
        for effect in state.handle(event, at: monotonicSeconds()) { perform(effect) }
    }

    private func perform(_ effect: MQTTState.Effect) {
        switch effect {
        case .connect(let isVersion5): connect(isVersion5)
        case .publish(let token, let topic, let payload, let isRetained): broker?.publish(token, topic, payload, isRetained: isRetained)
        case .subscribe(let topic): broker?.subscribe(topic)
        case .unsubscribe(let topic): broker?.unsubscribe(topic)
        case .answer(let answer):
            conversation.answer(answer)
            status = answer.status ?? status
        case .say(let text): say("cuff-sink-mqtt: \(text)")
        case .disconnect: broker?.disconnect()
        case .drop: broker = nil
        case .exit: break
        }
    }

    private func connect(_ isVersion5: Bool) {
        if !isVersion5 {
            say("cuff-sink-mqtt: \(settings.place) uses MQTT 3.1.1: its acknowledgements do not show whether publishing was permitted")
        }
        let next = Broker(settings, isVersion5: isVersion5)
        broker = next
        ConnectGuard.begin(
            Answer.later("no connection to the broker at \(settings.place) within \(Self.connectLimit) s").line, seconds: Self.connectLimit)
        next.connect()
        ConnectGuard.end()
    }
}

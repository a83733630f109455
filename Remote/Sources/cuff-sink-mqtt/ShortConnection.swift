import Glibc
import RemoteSink

/// A connection for a few queries while a helper may be running: separate client id, no presence. Each step blocks
/// within limits; a lost connection is thrown as a `CheckResult`.
final class ShortConnection {
    let settings: Settings
    let isVersion5: Bool
    private let broker: Broker

    /// From the first byte to CONNACK, and for each answer.
    private static let limit = 15.0

    /// Connects with MQTT 5, or 3.1.1 if the broker does not support 5.
    static func open(_ settings: Settings) throws(CheckResult) -> ShortConnection {
        let newest = ShortConnection(settings, isVersion5: true)
        if try newest.isConnected() { return newest }
        let old = ShortConnection(settings, isVersion5: false)
        guard try old.isConnected() else { throw .later("the broker at \(settings.place) closes the connection without an answer") }
        return old
    }

    private init(_ settings: Settings, isVersion5: Bool) {
        self.settings = settings
        self.isVersion5 = isVersion5
        broker = Broker(settings, isVersion5: isVersion5, isSilent: true)
    }

    private func isConnected() throws(CheckResult) -> Bool {
        let seconds = UInt32(Self.limit)
        ConnectGuard.begin(CheckResult.later("no connection to the broker at \(settings.place) within \(seconds) s").line, seconds: seconds)
        broker.connect()
        ConnectGuard.end()
        while let event = try next(within: Self.limit) {
            switch event {
            case .connected: return true
            case .ended(.oldVersion): return false
            case .ended(.closedEarly(let text)):
                guard !isVersion5 else { return false }
                throw .later(text)
            default: continue
            }
        }
        throw .later("the broker at \(settings.place) does not answer")
    }

    func retained(_ filters: [String]) throws(CheckResult) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for filter in filters { broker.subscribe(filter) }
        var left = filters.count
        // A broker sends retained messages right after it has confirmed a subscription; after UNSUBACK none can follow.
        while left > 0 {
            switch try next(within: Self.limit) {
            case .subscribed(let filter, let isGranted):
                guard isGranted else { throw .fatal("the broker does not let this user read \(filter)") }
                broker.unsubscribe(filter)
            case .unsubscribed: left -= 1
            case .message(let topic, let payload): found[topic] = payload
            case nil: throw .later("the broker at \(settings.place) does not confirm a subscription")
            default: break
            }
        }
        return found
    }

    /// Returns the verdicts in the same order.
    func publish(_ messages: [(topic: String, payload: String, isRetained: Bool)]) throws(CheckResult) -> [Verdict] {
        for (token, message) in messages.enumerated() {
            broker.publish(token, message.topic, message.payload, isRetained: message.isRetained)
        }
        var verdicts = [Verdict?](repeating: nil, count: messages.count)
        while verdicts.contains(where: { $0 == nil }) {
            switch try next(within: Self.limit) {
            case .acknowledged(let token, let verdict): verdicts[token] = verdict
            case nil: throw .later("the broker at \(settings.place) does not acknowledge")
            default: continue
            }
        }
        return verdicts.compactMap { $0 }
    }

    func disconnect() { broker.disconnect() }

    /// `nil` after a time-out.
    private func next(within seconds: Double) throws(CheckResult) -> MQTTState.Event? {
        let until = monotonicSeconds() + seconds
        while true {
            if let event = broker.nextEvent() {
                switch event {
                case .ended(.later(let text)), .ended(.lost(let text)): throw .later(text)
                case .ended(.fatal(let text)): throw .fatal(text)
                default: return event
                }
            }
            let left = until - monotonicSeconds()
            guard left > 0 else { return nil }
            var entry = pollfd(fd: broker.socket, events: Int16(POLLIN | (broker.wantsWrite ? POLLOUT : 0)), revents: 0)
            _ = poll(&entry, 1, Int32(min(left, 1) * 1000) + 1)
            let ready = Int32(entry.revents)
            broker.run(isReadable: ready & ~POLLOUT != 0, isWritable: ready & POLLOUT != 0)
        }
    }
}

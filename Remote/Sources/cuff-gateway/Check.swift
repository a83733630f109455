import PostgresStore
import RemoteSink

/// Whether the gateway could work as it is set up: both servers, the rights, the tables and the queue. Takes and stores nothing.
enum Check {
    static func run(_ address: BrokerAddress, _ broker: Broker, _ database: PostgresAddress) -> CheckResult {
        let stored: String
        switch DatabaseCheck.run(database, [ReadingStatement.insert, RefusedStatement.insert]) {
        case .ok(let text): stored = text
        case .later(let text): return .later("the database: " + text)
        case .fatal(let text): return .fatal("the database: " + text)
        }
        do throws(BrokerFault) {
            try broker.connect()
            // One message may come, and goes back to the queue when the connection ends.
            try broker.consume(Gateway.queue, prefetch: 1)
            broker.close()
            return .ok(
                "the broker at \(address.host):\(address.port) lets `\(address.user)` take from the queue `\(Gateway.queue)`; \(stored)")
        } catch {
            return error.isAway ? .later("the broker: " + error.text) : .fatal("the broker: " + error.text)
        }
    }
}

import PostgresStore
import RemoteSink

/// `cuff-gateway check`: what is wrong, in sentences. Exits with 1 if something is.
struct CheckVerb {
    let session: Session
    let options: Options
    /// Waiting messages that a gateway stores in about a second.
    private static let mostWaiting = 10_000

    func run() throws(VerbFault) -> Int32 {
        let facts: FleetFacts
        do throws(ServerFault) {
            try session.open()
            facts = try FleetFacts(session)
        } catch { throw VerbFault(error) }
        let rules = FleetRules()
        var sentences = facts.troubles(rules).flatMap { machine, troubles in troubles.map { rules.sentence($0, machine) } }
        for entry in facts.refusedToday {
            let messages = FleetRules.count(entry.count, "message")
            sentences.append("\(entry.machine): \(messages) set aside in the last 24 hours: \(entry.reason)")
        }
        sentences += try atBroker()
        for sentence in sentences { print(sentence) }
        let present = facts.machines.count { !$0.isRevoked }
        if sentences.isEmpty { print("nothing is wrong: \(FleetRules.count(present, "machine"))") }
        return sentences.isEmpty ? 0 : 1
    }

    /// What waits at the broker, where there is a password for its management.
    private func atBroker() throws(VerbFault) -> [String] {
        let found: Management?
        do throws(ConfigurationFault) { found = try Management(options) } catch { throw VerbFault(error) }
        guard let management = found else { return [] }
        var sentences: [String] = []
        do throws(BrokerFault) {
            for (queue, most) in [(Gateway.queue, Self.mostWaiting), (Setup.unrouted, 0)] {
                let path = "/queues/\(Management.word(management.address.vhost))/\(queue)?columns=messages"
                guard let value = try management.call(.get, path) else {
                    sentences.append("the broker has no queue `\(queue)`: cuff-gateway --setup")
                    continue
                }
                guard let count = value["messages"]?.integer, count > most else { continue }
                sentences.append(
                    queue == Gateway.queue
                        ? "\(FleetRules.count(count, "message")) waiting in the queue `\(queue)`: is the gateway running?"
                        : "\(FleetRules.count(count, "message")) in `\(queue)`: no queue accepted \(count == 1 ? "it" : "them"); dropped "
                            + "\(Setup.unroutedDays) days after arrival")
            }
        } catch {
            // The rest is known from the database.
            sentences.append("the broker's queues are unknown: \(error.text)")
        }
        return sentences
    }
}

import Glibc
import PostgresStore
import RemoteSink

@main
struct Main {
    static let usage = """
        usage: cuff-gateway --from amqps://USER@HOST/ --to postgres://USER@HOST/DATABASE [--metrics HOST:PORT]
                   store readings from the RabbitMQ queue `cuff` until stopped; with --metrics serve /metrics and a page
               cuff-gateway --check --from amqps://USER@HOST/ --to postgres://USER@HOST/DATABASE
                   check whether that would work; consumes and stores nothing
               cuff-gateway --from amqps://USER@HOST/ --setup [--machine NAME]…
                   declare the queue, its binding, the alternate exchange and a user for each machine (run on the broker);
                   with --operator also the administrator for `machine`
               cuff-gateway machine add NAME… | list | show NAME… | rotate [--finish] NAME… | revoke NAME…
                   give machines access to the broker, exchange it or take it away; each action is recorded in cuff.audit
               cuff-gateway erase SUBJECT | --again
                   remove a person's readings from the tables, and refuse them if they are delivered again;
                   with --again instead of SUBJECT: those of everybody who was erased, after a backup was restored
               cuff-gateway prune --older-than AGE
                   remove readings older than, e.g., 24months
               cuff-gateway check
                   say what is wrong: machines that are silent, behind, refused or old, and what waits at the broker; exits with 1

        The verbs take [--management http://USER@HOST/] [--to postgres://USER@HOST/DATABASE] [--machines mqtts://HOST/?cafile=FILE], or
        lines such as database = "postgres://…" in ~/.config/cuff/gateway.toml or /etc/cuff/gateway.toml.
        The password of the broker's user is read from ~/.config/cuff/credentials/amqp.password (mode 0600) or systemd's
        $CREDENTIALS_DIRECTORY, that of the database from libpq's passfile (~/.pgpass).
        """

    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        if let first = words.first, Verb.words.contains(first) { exit(run(words)) }
        let arguments: Arguments
        do throws(ConfigurationFault) {
            arguments = try Arguments(words)
        } catch {
            say("cuff-gateway: \(error.description)\n\(usage)")
            exit(EX_USAGE)
        }
        guard !arguments.wantsHelp else { return print(usage) }
        guard !arguments.isCheck else {
            exit(
                CheckResult.tell { () throws(ConfigurationFault) in
                    let address = try BrokerAddress(arguments.from)
                    let broker = Broker(address, password: try address.password(Credentials()))
                    return Check.run(address, broker, try PostgresAddress(arguments.to))
                })
        }
        do throws(ConfigurationFault) {
            let address = try BrokerAddress(arguments.from)
            let broker = Broker(address, password: try address.password(Credentials()))
            if arguments.isSetup {
                let setup = Setup(address: address, broker: broker, password: try address.password(Credentials()))
                exit(try setup.run(machines: arguments.machines, isForOperator: arguments.isForOperator) ? 0 : EX_UNAVAILABLE)
            }
            let database = try PostgresAddress(arguments.to)
            var gateway = Gateway(broker, database)
            if !arguments.metrics.isEmpty {
                let counts = GatewayCounts()
                gateway.counts = counts
                try StatusServer(arguments.metrics, database: database, counts: counts).start()
            }
            gateway.run()
        } catch {
            say("cuff-gateway: \(error.description)")
            exit(EX_CONFIG)
        }
    }

    /// A verb; returns the exit status.
    private static func run(_ words: [String]) -> Int32 {
        let verb: Verb
        var options: Options
        do throws(ConfigurationFault) {
            (verb, options) = try Verb.parse(words)
            try options.complete()
        } catch {
            say("cuff-gateway: \(error.description)\n\(usage)")
            return EX_USAGE
        }
        do throws(VerbFault) {
            guard !options.database.isEmpty else {
                throw VerbFault("no database: add --to postgres://USER@HOST/DATABASE, or database = \"…\" in \(Options.file)")
            }
            let session: Session
            do throws(ConfigurationFault) { session = Session(try PostgresAddress(options.database)) } catch { throw VerbFault(error) }
            switch verb {
            case .machine(let action, let names): try MachineVerb(session, options).run(action, names)
            case .check: return try CheckVerb(session: session, options: options).run()
            case .erase(let subject?): try EraseVerb(session: session, isForced: options.isForced).run(subject)
            case .erase(nil): try EraseVerb(session: session, isForced: options.isForced).runAgain()
            case .prune(let age): try PruneVerb(session: session).run(age)
            }
            return 0
        } catch {
            say("cuff-gateway: \(error.text)")
            return error.status
        }
    }
}

struct Arguments: Equatable {
    var from = ""
    var to = ""
    /// HOST:PORT of the page and the metrics.
    var metrics = ""
    var isSetup = false
    var isForOperator = false
    var isCheck = false
    var machines: [String] = []
    var wantsHelp = false

    init(_ words: [String]) throws(ConfigurationFault) {
        var rest = words[...]
        while let word = rest.popFirst() {
            func value() throws(ConfigurationFault) -> String {
                guard let value = rest.popFirst(), !value.isEmpty else { throw ConfigurationFault("\(word) requires a value") }
                return value
            }
            switch word {
            case "--from": from = try value()
            case "--to": to = try value()
            case "--metrics": metrics = try value()
            case "--setup": isSetup = true
            case "--operator": isForOperator = true
            case "--check": isCheck = true
            case "--machine": machines.append(try MachineName.check(try value()))
            case "--help", "-h": wantsHelp = true
            default: throw ConfigurationFault("unknown argument `\(word.prefix(40))`")
            }
        }
        guard !wantsHelp else { return }
        guard !from.isEmpty else { throw ConfigurationFault("--from is missing") }
        guard isSetup != !to.isEmpty else { throw ConfigurationFault(isSetup ? "--setup cannot be combined with --to" : "--to is missing") }
        guard metrics.isEmpty || !isSetup && !isCheck else { throw ConfigurationFault("--metrics is for a gateway that runs") }
        guard !isSetup || !isCheck else { throw ConfigurationFault("--check and --setup cannot be combined") }
        guard isSetup || machines.isEmpty && !isForOperator else { throw ConfigurationFault("--machine and --operator require --setup") }
    }
}

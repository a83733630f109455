import Glibc
import PostgresStore
import RemoteSink

@main
struct Main {
    static let usage = """
        usage: cuff-gateway --from amqps://USER@HOST/ --to postgres://USER@HOST/DATABASE
                   store readings from the RabbitMQ queue `cuff` until stopped
               cuff-gateway --check --from amqps://USER@HOST/ --to postgres://USER@HOST/DATABASE
                   check whether that would work; consumes and stores nothing
               cuff-gateway --from amqps://USER@HOST/ --setup [--machine NAME]…
                   declare the queue, its binding, the alternate exchange and a user for each machine (run on the broker)

        The password of the broker's user is read from ~/.config/cuff/credentials/amqp.password (mode 0600) or systemd's
        $CREDENTIALS_DIRECTORY, that of the database from libpq's passfile (~/.pgpass).
        """

    static func main() {
        let arguments: Arguments
        do throws(ConfigurationFault) {
            arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
        } catch {
            say("cuff-gateway: \(error.description)\n\(usage)")
            exit(EX_USAGE)
        }
        guard !arguments.wantsHelp else { return print(usage) }
        do throws(ConfigurationFault) {
            let address = try BrokerAddress(arguments.from)
            let broker = Broker(address, password: try address.password(Credentials()))
            if arguments.isSetup {
                let setup = Setup(address, broker, password: try address.password(Credentials()))
                exit(try setup.run(machines: arguments.machines) ? 0 : EX_UNAVAILABLE)
            }
            let database = try PostgresAddress(arguments.to)
            if arguments.isCheck {
                let result = Check.run(address, broker, database)
                print(result.line, terminator: "")
                exit(result.status)
            }
            var gateway = Gateway(broker, database)
            gateway.run()
        } catch {
            arguments.isCheck ? print(CheckResult.fatal(error.description).line, terminator: "") : say("cuff-gateway: \(error.description)")
            exit(EX_CONFIG)
        }
    }
}

struct Arguments: Equatable {
    var from = ""
    var to = ""
    var isSetup = false
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
            case "--setup": isSetup = true
            case "--check": isCheck = true
            case "--machine": machines.append(try Self.machine(try value()))
            case "--help", "-h": wantsHelp = true
            default: throw ConfigurationFault("unknown argument `\(word.prefix(40))`")
            }
        }
        guard !wantsHelp else { return }
        guard !from.isEmpty else { throw ConfigurationFault("--from is missing") }
        guard isSetup != !to.isEmpty else { throw ConfigurationFault(isSetup ? "--setup cannot be combined with --to" : "--to is missing") }
        guard !isSetup || !isCheck else { throw ConfigurationFault("--check and --setup cannot be combined") }
        guard isSetup || machines.isEmpty else { throw ConfigurationFault("--machine requires --setup") }
    }

    /// The name is used as a topic level, a word of a routing key and a user name.
    private static func machine(_ name: String) throws(ConfigurationFault) -> String {
        let isName = name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x41...0x5A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x5F || $0 == 0x2D }
        guard isName, name.utf8.count <= 64 else {
            throw ConfigurationFault("`\(name.prefix(70))` is not a machine name: use 1 to 64 of A-Z, a-z, 0-9, _ and -")
        }
        return name
    }
}

import Glibc
import PersonNames
import PostgresStore
import RemoteSink

@main
struct Main {
    static let usage = """
        usage: cuff-sink-postgres postgres://USER@HOST/DATABASE    deliver readings from standard input (started by cuff)
               cuff-sink-postgres --check postgres://USER@HOST/DATABASE    check whether that would work; stores nothing
               cuff-sink-postgres --schema [--role NAME]           print the SQL of the tables and of the role (default: cuff)
               cuff-sink-postgres --schema --by-month              print the SQL that cuts the table of readings by month

        The address is any URI of libpq. The server's certificate is verified (sslmode=verify-full) except over loopback and
        sockets; for a private authority use sslrootcert=FILE. Names of persons stay on this machine unless persons=names is added. The password is read from libpq's passfile (~/.pgpass).
        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "--help", "-h": print(usage)
        case "--schema": schema(arguments.dropFirst())
        case "--check" where arguments.count == 2: exit(check(arguments[1]))
        case .some(let address) where arguments.count == 1 && !address.hasPrefix("-"): deliver(to: address)
        default: refuse(usage)
        }
    }

    private static func refuse(_ text: String) -> Never {
        say(text)
        exit(EX_USAGE)
    }

    private static func schema(_ rest: ArraySlice<String>) {
        var role = "cuff"
        let isByMonth = rest.contains("--by-month")
        let rest = rest.filter { $0 != "--by-month" }
        if !rest.isEmpty {
            guard rest.first == "--role", rest.count == 2, let name = rest.last else { refuse(usage) }
            role = name
        }
        let isName = role.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x5F || $0 == 0x2D }
        guard isName, 1...63 ~= role.utf8.count else {
            refuse("cuff-sink-postgres: `\(role)` is not a role name: use 1 to 63 of a-z, 0-9, _ and -")
        }
        print(isByMonth ? Schema.partitionScript(role: role) : Schema.script(role: role), terminator: "")
    }

    /// The address without `persons=`, which libpq does not know.
    static func split(_ text: String) throws(ConfigurationFault) -> (address: String, form: PersonForm) {
        guard let mark = text.firstIndex(of: "?") else { return (text, .subjects) }
        let items = text[text.index(after: mark)...].split(separator: "&")
        let others = items.filter { !$0.hasPrefix("persons=") }
        let form = try items.last { $0.hasPrefix("persons=") }.map { (item) throws(ConfigurationFault) in
            try PersonForm(setting: String(item.dropFirst(8)))
        }
        return (String(text[..<mark]) + (others.isEmpty ? "" : "?" + others.joined(separator: "&")), form ?? .subjects)
    }

    private static func check(_ text: String) -> Int32 {
        CheckResult.tell { () throws(ConfigurationFault) in
            DatabaseCheck.run(try PostgresAddress(try split(text).address), [ReadingStatement.insert])
        }
    }

    private static func deliver(to text: String) {
        let conversation = Conversation()
        conversation.greet()
        do throws(ConfigurationFault) {
            let (address, form) = try split(text)
            var delivery = Delivery(try PostgresAddress(address), conversation, PersonRule(form, program: "cuff-sink-postgres"))
            delivery.run()
        } catch {
            conversation.answer(.fatal(error.description))
            waitForTheEnd(conversation)
        }
    }

    /// Reads until `cuff` closes standard input after the last answer, so that it never blocks.
    private static func waitForTheEnd(_ conversation: Conversation) {
        let until = monotonicSeconds() + 10
        while !conversation.isClosed, monotonicSeconds() < until {
            var entry = pollfd(fd: conversation.descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, 1000) > 0 { _ = conversation.receive() }
        }
    }
}

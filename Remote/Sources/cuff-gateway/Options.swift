import Glibc
import RemoteSink

enum Verb: Equatable {
    case machine(String, [String])
    case check
    /// `nil`: everybody who was erased before.
    case erase(String?)
    case prune(String)
}

/// The options of the verbs. What is not given is looked up in a file, so that an operator types only the verb and the machine.
struct Options: Equatable {
    var management = ""
    /// The database, as a role that may manage machines.
    var database = ""
    /// The broker's address for machines.
    var machines = ""
    var output: String?
    var isFinishing = false
    var isForced = false
    var isAgain = false

    /// `/etc/cuff/gateway.toml`, or the user's own.
    static var file: String {
        let own = (Credentials.folder ?? "") + "/gateway.toml"
        return access(own, R_OK) == 0 ? own : "/etc/cuff/gateway.toml"
    }

    /// Lines `key = "text"`; others are comments or errors.
    static func settings(_ text: String, file: String) throws(ConfigurationFault) -> [String: String] {
        var found: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard let first = line.first, first != "#" else { continue }
            let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.filter { !$0.isWhitespace || $0 == " " } }
            let key = sides[0].split(separator: " ").joined()
            guard sides.count == 2, ["management", "database", "machines"].contains(key),
                let value = JSONValue(parsing: Array(sides[1].utf8))?.string
            else {
                throw ConfigurationFault("\(file): `\(line.prefix(40))` is unknown; write management, database or machines = \"ADDRESS\"")
            }
            found[key] = value
        }
        return found
    }

    mutating func complete() throws(ConfigurationFault) {
        let found = try SmallFile.text(Self.file, limit: 1 << 16).map { (text) throws(ConfigurationFault) in
            try Self.settings(text, file: Self.file)
        }
        if management.isEmpty { management = found?["management"] ?? ManagementAddress.usual }
        if database.isEmpty { database = found?["database"] ?? "" }
        if machines.isEmpty { machines = found?["machines"] ?? "" }
    }
}

extension Verb {
    static let words = ["machine", "check", "erase", "prune"]
    private static let actions = ["add", "list", "show", "rotate", "revoke"]

    /// The program's arguments, beginning with a verb.
    static func parse(_ words: [String]) throws(ConfigurationFault) -> (Verb, Options) {
        var options = Options()
        var names: [String] = []
        var age: String?
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            func value() throws(ConfigurationFault) -> String {
                guard let value = rest.popFirst(), !value.isEmpty else { throw ConfigurationFault("\(word) requires a value") }
                return value
            }
            switch word {
            case "--management": options.management = try value()
            case "--to": options.database = try value()
            case "--machines": options.machines = try value()
            case "--output": options.output = try value()
            case "--older-than": age = try value()
            case "--finish": options.isFinishing = true
            case "--force": options.isForced = true
            case "--again": options.isAgain = true
            case _ where word.hasPrefix("-"): throw ConfigurationFault("unknown argument `\(word.prefix(40))`")
            default: names.append(word)
            }
        }
        return (try verb(words[0], names, age, options), options)
    }

    private static func verb(_ word: String, _ names: [String], _ age: String?, _ options: Options) throws(ConfigurationFault) -> Verb {
        switch word {
        case "machine":
            guard let action = names.first, actions.contains(action) else {
                throw ConfigurationFault("machine takes one of \(actions.joined(separator: ", "))")
            }
            var machines: [String] = []
            for name in names.dropFirst() { machines.append(try MachineName.check(name)) }
            guard (action == "list") == machines.isEmpty else {
                throw ConfigurationFault(
                    action == "list" ? "machine list takes no name" : "machine \(action) requires the name of a machine")
            }
            guard options.output == nil || machines.count == 1 else { throw ConfigurationFault("--output is for one machine") }
            guard !options.isFinishing || action == "rotate" else { throw ConfigurationFault("--finish is for machine rotate") }
            return .machine(action, machines)
        case "erase":
            guard names.count == (options.isAgain ? 0 : 1) else { throw ConfigurationFault("erase requires one SUBJECT, or --again") }
            return .erase(names.first)
        case "prune":
            guard names.isEmpty, let age else { throw ConfigurationFault("prune requires --older-than AGE, e.g. 24months") }
            return .prune(age)
        default:
            guard names.isEmpty else { throw ConfigurationFault("check takes no name") }
            return .check
        }
    }
}

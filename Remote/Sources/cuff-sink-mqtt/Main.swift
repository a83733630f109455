import Glibc
import PersonNames
import RemoteSink

@main
struct Main {
    static let usage = """
        usage: cuff-sink-mqtt ADDRESS
        Publishes the readings that come on standard input to an MQTT broker, and answers for each. `cuff` runs it:
            cuff watch --sink 'mqtt://USER@HOST/?gateway=NAME&discovery=homeassistant'
        It runs alone for these:
            cuff-sink-mqtt --check ADDRESS             tell whether that would work; nothing is stored
            cuff-sink-mqtt --subject PERSON            print the subject of a person of this machine
            cuff-sink-mqtt --forget DEVICE ADDRESS     remove a cuff from the broker, and so from Home Assistant
        The password is the first line of $CREDENTIALS_DIRECTORY/mqtt.password or ~/.config/cuff/credentials/mqtt.password (0600).
        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.count {
        case 1 where arguments[0] == "--help" || arguments[0] == "-h": print(usage)
        case 1 where arguments[0] == "--version": print(helperVersion)
        case 1 where !arguments[0].hasPrefix("-"): exit(publish(arguments[0]))
        case 2 where arguments[0] == "--check": exit(check(arguments[1]))
        case 2 where arguments[0] == "--subject":
            exit(
                status { () throws(ConfigurationFault) in
                    print(try Subjects.own().subject(of: arguments[1]))
                    return 0
                })
        case 3 where arguments[0] == "--forget":
            exit(status { () throws(ConfigurationFault) in Forget(try settings(arguments[2]), device: arguments[1]).run() })
        default:
            say(usage)
            exit(64)
        }
    }

    private static func settings(_ text: String) throws(ConfigurationFault) -> Settings {
        try Settings(try HelperAddress(text), credentials: Credentials(), hostName: ownHostName())
    }

    private static func publish(_ text: String) -> Int32 {
        let conversation = Conversation()
        conversation.greet(takesStatus: text.contains("heartbeat="))
        do throws(ConfigurationFault) {
            let settings = try settings(text)
            if !settings.isEncrypted && !settings.isLoopback {
                say("cuff-sink-mqtt: readings and the password travel to \(settings.place) unencrypted; use mqtts://")
            }
            return Run(settings, conversation, PersonRule(settings.persons, program: "cuff-sink-mqtt")).run()
        } catch {
            conversation.answer(.fatal(error.description))
            return 78
        }
    }

    /// The status of what runs alone.
    private static func status(_ run: () throws(ConfigurationFault) -> Int32) -> Int32 {
        do throws(ConfigurationFault) { return try run() } catch {
            say("cuff-sink-mqtt: \(error.description)")
            return 78
        }
    }

    private static func check(_ text: String) -> Int32 {
        CheckResult.tell { () throws(ConfigurationFault) in Check(try settings(text)).run() }
    }
}

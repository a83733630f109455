import Glibc
import HL7Sink
import RemoteSink

@main
struct Main {
    static let usage = """
        usage: cuff-sink-hl7 ADDRESS
        Sends the readings that come on standard input to an HL7 receiver (IHE PCD-01 over MLLP), and answers for each. `cuff` runs it:
            cuff watch --sink 'hl7+tls://HOST:PORT/?sender=NAME&patient.1=ID'
        It runs alone for this:
            cuff-sink-hl7 --check ADDRESS     connect, verify the certificate, and send nothing
        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.count {
        case 1 where arguments[0] == "--help" || arguments[0] == "-h": print(usage)
        case 1 where arguments[0] == "--version": print(helperVersion)
        case 1 where !arguments[0].hasPrefix("-"): exit(deliver(arguments[0]))
        case 2 where arguments[0] == "--check": exit(check(arguments[1]))
        default:
            say(usage)
            exit(64)
        }
    }

    private static func deliver(_ text: String) -> Int32 {
        let conversation = Conversation()
        conversation.greet()
        do throws(ConfigurationFault) {
            let target = try HL7Target(text, hostName: ownHostName())
            if !target.isEncrypted && !target.isLoopback {
                say("cuff-sink-hl7: the connection to \(target.place) is not encrypted; use hl7+tls://")
            }
            return Run(target, conversation).run()
        } catch {
            conversation.answer(.fatal(error.description))
            return 78
        }
    }

    private static func check(_ text: String) -> Int32 {
        CheckResult.tell { () throws(ConfigurationFault) in
            let target = try HL7Target(text, hostName: ownHostName())
            ConnectGuard.begin(CheckResult.later("no connection to the receiver at \(target.place) within 30 s").line, seconds: 30)
            defer { ConnectGuard.end() }
            switch Connection(target).open() {
            case nil:
                return .ok(
                    "the receiver at \(target.place) accepts connections\(target.isEncrypted ? ", and its certificate is valid" : ""); HL7 cannot be checked without a message"
                )
            case .fatal(let text)?: return .fatal(text)
            case .later(let text)?: return .later(text)
            case let other?: return .later(other.line)
            }
        }
    }
}

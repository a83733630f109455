/// An answer of the receiver: `MSA` with the code and the control id of the message, and what it says about an error.
struct Acknowledgement: Sendable, Equatable {
    enum Code: Sendable, Equatable {
        /// AA: the receiver is responsible for the reading now.
        case accepted
        /// AE, and CE of the accept level.
        case error
        /// AR, and CR of the accept level.
        case rejected
        /// CA: received, not yet processed. The application's answer follows.
        case received
    }

    let code: Code
    let controlID: String
    /// MSA-3, ERR-8 or ERR-7; may be empty.
    let text: String

    /// `nil` if the message is not an answer.
    init?(_ message: [UInt8]) {
        let segments = message.split { $0 == 0x0D || $0 == 0x0A }
        guard let header = segments.first, header.starts(with: Array("MSH".utf8)), header.count > 4 else { return nil }
        let separator = header[header.startIndex + 3]
        var found: (code: Code, controlID: String)?
        var text = ""
        for segment in segments.dropFirst() {
            let fields = segment.split(separator: separator, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
            func field(_ number: Int) -> String { number < fields.count ? fields[number] : "" }
            switch fields.first {
            case "MSA":
                guard found == nil, let code = Self.codes[field(1)] else { return nil }
                found = (code, field(2))
                text = field(3)
            case "ERR": if text.isEmpty { text = field(8).isEmpty ? field(7) : field(8) }
            default: break
            }
        }
        guard let found else { return nil }
        (code, controlID, self.text) = (found.code, found.controlID, text)
    }

    /// HL7 table 0008.
    private static let codes: [String: Code] = [
        "AA": .accepted, "AE": .error, "AR": .rejected, "CA": .received, "CE": .error, "CR": .rejected,
    ]
}

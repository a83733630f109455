/// The answer to a message: `MSH` with type `ACK`, and `MSA` with the code and the message's control id, in its separators and framing.
struct HL7Acknowledgement: Sendable {
    enum Code: String, Sendable {
        /// The message is stored.
        case accepted = "AA"
        /// It could not be stored or understood.
        case error = "AE"
    }

    private let separators: HL7Separators
    private let isBlock: Bool
    private let time: [UInt8]
    private let trigger: [UInt8]
    private let processing: [UInt8]
    private let version: [UInt8]
    private let controlID: [UInt8]

    /// Fields copied from the message have length limits. MSH-7 is the message's time: a session has no clock.
    init(to message: HL7Message) {
        separators = message.separators
        isBlock = message.isBlock
        let header = message.header
        func echo(_ field: ArraySlice<UInt8>, atMost limit: Int) -> [UInt8] {
            field.prefix(limit).map { $0 >= 0x20 && $0 != 0x7F ? $0 : 0x3F }
        }
        time = echo(header.field(7), atMost: 26)
        let type = header.field(9).split(separator: separators.component ?? 0x5E, omittingEmptySubsequences: false)
        trigger = type.count > 1 ? echo(type[1], atMost: 3) : []
        processing = echo(header.field(11), atMost: 3)
        version = echo(header.field(12), atMost: 60)
        controlID = echo(header.field(10), atMost: HL7Message.longestControlID)
    }

    func bytes(_ code: Code, number: Int) -> [UInt8] {
        let field = separators.field
        let type = Array("ACK".utf8) + (trigger.isEmpty ? [] : [separators.component ?? 0x5E] + trigger)
        let header: [[UInt8]] = [
            Array("MSH".utf8), separators.encoding, Array("CUFF".utf8), [], [], [], time, [], type, Array(String(number).utf8), processing,
            version,
        ]
        let answer = [Array("MSA".utf8), Array(code.rawValue.utf8), controlID]
        let text = [header, answer].flatMap { $0.joined(separator: [field]) + [HL7Frame.carriageReturn] }
        return isBlock ? [HL7Frame.blockStart] + text + [HL7Frame.blockEnd, HL7Frame.carriageReturn] : text
    }
}

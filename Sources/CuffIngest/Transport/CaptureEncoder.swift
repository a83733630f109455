import CuffCore

/// Writes the items of a conversation in one of the two forms, told apart by the file's suffix.
struct CaptureEncoder: Sendable {
    /// The format of a capture file.
    enum Form: Sendable, Hashable {
        case text
        /// LINKTYPE_RTAC_SERIAL, which Wireshark opens.
        case pcapng

        /// `.pcapng` by its suffix, else text.
        init(path: String) { self = path.lowercased().hasSuffix(".pcapng") ? .pcapng : .text }
    }

    /// The format that is written.
    let form: Form
    private var writer = PcapngWriter()

    /// An encoder before its first item.
    init(_ form: Form) { self.form = form }

    /// What stands before the first item. `start` is the instant of time 0 and `node` where the bytes passed, as far as
    /// they are known; the text form has a `date` for the one and no place for the other.
    mutating func appendHead(_ header: CaptureHeader, start: Timestamp?, node: String = "", to bytes: inout TextBuffer) {
        var header = header
        switch form {
        case .text:
            if let start, header["date"] == nil { header.fields.append(("date", start.utcText)) }
            CaptureText.appendHeader(header, to: &bytes)
        case .pcapng:
            writer = PcapngWriter(start: start ?? Timestamp(milliseconds: 0))
            let line = header["line"]
            let head = writer.head(
                header, name: node, description: line ?? "", speed: line.flatMap { LineSettings($0) }?.rate)
            bytes.append(bytes: head.span)
        }
    }

    /// Appends one item in the encoder's format.
    mutating func append(_ item: CaptureItem, to bytes: inout TextBuffer) {
        switch form {
        case .text: CaptureText.append(item, to: &bytes)
        case .pcapng:
            var packet: [UInt8] = []
            writer.append(item, to: &packet)
            bytes.append(bytes: packet.span)
        }
    }
}

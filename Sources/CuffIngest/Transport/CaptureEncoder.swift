import CuffCore

/// Writes the items of a conversation in one of the two formats, chosen by the file's suffix.
struct CaptureEncoder: Sendable {
    enum Form: Sendable, Hashable {
        case text
        /// LINKTYPE_RTAC_SERIAL, which Wireshark can open.
        case pcapng

        init(path: String) { self = path.lowercased().hasSuffix(".pcapng") ? .pcapng : .text }
    }

    let form: Form
    private var writer = PcapngWriter()

    init(_ form: Form) { self.form = form }

    /// Appends everything before the first item. `start` is the instant of time 0 and `node` the device, if known; the text
    /// format stores `start` as `date`, and no node.
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

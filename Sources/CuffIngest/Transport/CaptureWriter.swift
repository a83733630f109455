import CuffCore
import Glibc

/// Writes a new capture file (mode 0600), each line or packet as it happens.
final class CaptureWriter: @unchecked Sendable {
    private let descriptor: Int32
    private var encoder: CaptureEncoder
    private var text = TextBuffer()
    private let start = HostClock.monotonic()
    /// A write error: the written part is kept, and the conversation continues.
    private(set) var fault: IngestError?
    private var isEmpty = true
    private let path: String
    private let onFault: @Sendable (IngestError) -> Void

    /// Refuses an existing file. `line` is the serial line; `nil` for a transport that checks bytes (`Transport.checksBytes`), so
    /// that a replay sets the same flags as the live read. `onFault` is called once, when the rest can no longer be written.
    init(
        _ path: String, driver: CuffDriver, model: String? = nil, line: LineSettings? = nil, node: String = "",
        onFault: @escaping @Sendable (IngestError) -> Void = { _ in }
    ) throws(IngestError) {
        if path.isEmpty || path == "-" { throw IngestError(FileFault.captureUnnamed(path)) }
        self.path = path
        self.onFault = onFault
        encoder = CaptureEncoder(CaptureEncoder.Form(path: path))
        guard let created = try OwnFile.created(path, O_WRONLY) else {
            if OwnFile.isLink(path) { throw OwnFile.link(path) }
            throw IngestError(FileFault.captureExists(path))
        }
        descriptor = created
        let now = HostClock.now()
        var header = CaptureHeader()
        header.fields = [
            ("driver", driver.id.description), ("origin", "recorded"), ("date", now.utcText),
        ]
        if let line { header.fields.insert(("line", line.text), at: 2) }
        if let model { header.fields.insert(("cuff", model), at: 1) }
        encoder.appendHead(header, start: now, node: node, to: &text)
        flush()
        // Nothing was recorded yet, so that the name stays free.
        if let fault {
            unlink(path)
            throw fault
        }
    }

    deinit { close(descriptor) }

    /// Microseconds since the start of the capture.
    var now: Int64 { (HostClock.monotonic() - start) / 1000 }

    /// Removes the file if it has only its header, so that the name is free for the next try.
    func discardEmpty() {
        if isEmpty { unlink(path) }
    }

    func write(_ content: CaptureItem.Content, at time: Int64) {
        guard fault == nil else { return }
        isEmpty = false
        encoder.append(CaptureItem(time: time, content), to: &text)
        flush()
        if let fault { onFault(fault) }
    }

    private func flush() {
        do throws(SystemFault) {
            try text.withBytes { (bytes) throws(SystemFault) in try Descriptor.writeAll(descriptor, bytes) }
        } catch { fault = .writing(path, error.number) }
        text.removeAll()
    }
}

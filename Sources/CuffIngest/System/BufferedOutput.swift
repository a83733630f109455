import CuffClinical
import CuffCore

/// Buffered text output with constant memory, optionally into a zip file.
final class BufferedOutput {
    var buffer = TextBuffer(capacity: 1 << 17)
    private let output: OutputFile
    private var archive: StoredZip?
    /// The size exceeds the zip format's limit; nothing more is written.
    private(set) var isTooLarge = false

    init(_ output: OutputFile, archive: StoredZip? = nil) throws(IngestError) {
        self.output = output
        self.archive = archive
        guard let archive else { return }
        archive.begin(to: &buffer)
        try output.append(&buffer)
    }

    /// Writes a full buffer; `false` if nothing more can be written.
    func flush() throws(IngestError) -> Bool {
        if buffer.count >= 1 << 16 { try write() }
        return !isTooLarge
    }

    func end() throws(IngestError) {
        try write()
        guard let archive, !isTooLarge else { return }
        let completion = archive.end(to: &buffer)
        try output.append(&buffer)
        try output.overwrite(completion.bytes, at: completion.offset)
    }

    private func write() throws(IngestError) {
        if let fits = archive?.add(buffer), !fits { isTooLarge = true }
        guard !isTooLarge else { return buffer.removeAll() }
        try output.append(&buffer)
    }
}

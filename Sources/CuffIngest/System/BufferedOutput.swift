import CuffClinical
import CuffCore

/// Text that goes out in pieces, so that a million readings do not lie in memory; within a zip file where one is asked for.
final class BufferedOutput {
    var buffer = TextBuffer(capacity: 1 << 17)
    private let output: OutputFile
    private var archive: StoredZip?
    /// The zip file would become larger than its format can say; nothing more is written then.
    private(set) var isTooLarge = false

    init(_ output: OutputFile, archive: StoredZip? = nil) throws(IngestError) {
        self.output = output
        self.archive = archive
        guard let archive else { return }
        archive.begin(to: &buffer)
        try output.append(&buffer)
    }

    /// Hands on what has piled up; `false` where nothing more can be written.
    func flush() throws(IngestError) -> Bool {
        if buffer.count >= 1 << 16 { try write() }
        return !isTooLarge
    }

    /// Hands on everything, and ends the zip file.
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

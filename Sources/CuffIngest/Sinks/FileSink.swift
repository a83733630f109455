import CuffCore
import Glibc

/// Appends readings to a file as lines. A reading that the file already has, from any run, is not written again.
final class FileSink<Format: LineFormat>: GroupingSink {
    let label: String
    let takesLiveEvents: Bool
    let isDurable: Bool
    private let lines: Locked<ReadingLines<Format>>

    init(path: String, format: Format, onFault: @escaping @Sendable (IngestError) -> Void = { _ in }) throws(IngestError) {
        label = "\(format.scheme):\(path)"
        takesLiveEvents = format.takesLiveEvents
        lines = Locked(try ReadingLines(path: path, format: format, onFault: onFault))
        isDurable = SinkSpec.isRegularFile(path) == true
    }

    /// The end of a run: another run may begin before this object is gone.
    func close() throws(IngestError) { lines.withLock { $0.unlock() } }

    func write(_ batches: [ReadingBatch]) throws(IngestError) -> Int {
        try lines.withLock { (lines) throws(IngestError) in try lines.write(batches) }
    }

    /// On SIGHUP: closes a renamed or removed file, even if there is nothing to write.
    func reopen() throws(IngestError) { try lines.withLock { (lines) throws(IngestError) in try lines.followPath() } }
}

/// The batches must be in the file of the path when `write` returns: if the file was renamed, removed, replaced or emptied
/// meanwhile, it is reopened and all of them are written there.
private final class ReadingLines<Format: LineFormat> {
    /// In the layout of the file.
    private var format: Format
    private let path: String
    private let onFault: @Sendable (IngestError) -> Void
    private var file: LineFile
    private var known: KnownReadings
    private var text = TextBuffer(capacity: 1 << 16)

    /// A limit for a file that keeps being renamed.
    private static var attempts: Int { 3 }

    init(path: String, format: Format, onFault: @escaping @Sendable (IngestError) -> Void) throws(IngestError) {
        let file = try LineFile(path)
        self.file = file
        let layout = format.continuing(file.firstLine)
        self.format = layout
        self.path = path
        self.onFault = onFault
        known = try Self.examined(file, layout, path, onFault)
    }

    private static func examined(
        _ file: LineFile, _ format: Format, _ path: String, _ onFault: (IngestError) -> Void
    ) throws(IngestError) -> KnownReadings {
        let known = try KnownReadings()
        let removed = try file.recover(format) { (key) throws(IngestError) in _ = try known.insert(key) }
        known.commit()
        if removed > 0 {
            onFault(
                IngestError(SinkFault.damagedLines(path, count: removed)))
        }
        return known
    }

    func unlock() { file.unlock() }

    func write(_ batches: [ReadingBatch]) throws(IngestError) -> Int {
        for _ in 0..<Self.attempts {
            try followPath()
            let repeated: Int
            do throws(IngestError) { repeated = try append(batches) } catch {
                rollBack()
                throw error
            }
            guard file.change != nil else {
                file.commit()
                known.commit()
                return repeated
            }
            rollBack()
        }
        throw unsteady
    }

    func followPath() throws(IngestError) {
        for _ in 0..<Self.attempts {
            switch file.change {
            case nil: return
            case .shortened:
                format = format.continuing(file.firstLine)
                known = try Self.examined(file, format, path, onFault)
            case .replaced:
                do throws(IngestError) {
                    let named = try LineFile(path)
                    let layout = format.continuing(named.firstLine)
                    known = try Self.examined(named, layout, path, onFault)
                    format = layout
                    file = named
                } catch {
                    // Renamed back meanwhile: the lock is held by this sink.
                    if file.change != nil { throw error }
                }
            }
        }
        if file.change != nil { throw unsteady }
    }

    private var unsteady: IngestError {
        IngestError(SinkFault.restless(path))
    }

    private func append(_ batches: [ReadingBatch]) throws(IngestError) -> Int {
        var (repeated, fresh) = (0, 0)
        text.removeAll()
        if file.size == 0 { format.appendHeader(to: &text) }
        for batch in batches { try append(batch, &repeated, &fresh) }
        try flush()
        if fresh > 0 { try file.synchronise() }
        return repeated
    }

    private func append(_ batch: ReadingBatch, _ repeated: inout Int, _ fresh: inout Int) throws(IngestError) {
        for index in batch.entries.indices {
            if case .reading(let reading) = batch.entries[index] {
                guard try known.insert(KnownReadings.Key(reading)) else {
                    repeated += 1
                    continue
                }
                fresh += 1
            }
            format.append(batch.entries[index], device: batch.device, to: &text)
            if text.count >= 1 << 16 { try flush() }
        }
    }

    private func flush() throws(IngestError) {
        guard text.count > 0 else { return }
        try text.withBytes { (bytes) throws(IngestError) in try file.append(bytes) }
        text.removeAll()
    }

    private func rollBack() {
        file.rollBack()
        known.forget()
    }
}

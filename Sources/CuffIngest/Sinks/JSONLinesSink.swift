import CLinux
import CuffCore
import Glibc

/// JSON Lines appended to a file: the same lines as on standard output. A reading that the file already holds is not
/// written again, whichever run wrote it.
final class JSONLinesSink: Sink, @unchecked Sendable {
    let label: String
    let takesLiveEvents = true
    let isDurable: Bool
    private let line: ReadingLine
    private let file: LineFile
    private let known: KnownReadings
    private var text = TextBuffer(capacity: 1 << 16)

    init(path: String, line: ReadingLine) throws(IngestError) {
        label = "jsonl:\(path)"
        self.line = line
        file = try LineFile(path)
        isDurable = SinkSpec.isRegularFile(path) == true
        let known = KnownReadings(near: path)
        try file.recover { (bytes, isFirst) throws(IngestError) in
            if isFirst, let first = bytes.first, first != 0x7B {
                throw IngestError(
                    .cannotCreate, "cannot append to \(path)", why: "it does not hold JSON Lines",
                    cure: "name another file")
            }
            if let key = Self.key(of: bytes), try known.insert(key) { known.keep() }
        }
        self.known = known
    }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        let start = file.size
        var repeated = 0
        text.removeAll()
        var fresh = 0
        do throws(IngestError) {
            for index in batch.entries.indices {
                if case .reading(let reading) = batch.entries[index] {
                    guard try known.insert(KnownReadings.Key(reading)) else {
                        repeated += 1
                        continue
                    }
                    fresh += 1
                }
                line.append(batch.entries[index], device: batch.device, to: &text)
                if text.count >= 1 << 16 { try flush() }
            }
            try flush()
            if fresh > 0 { try file.synchronise() }
            known.keep()
            return repeated
        } catch {
            file.takeBack(to: start)
            known.forget()
            throw error
        }
    }

    private func flush() throws(IngestError) {
        guard text.count > 0 else { return }
        try text.withBytes { (bytes) throws(IngestError) in try file.append(bytes) }
        text.removeAll()
    }

    /// The key of a line this program wrote; `nil` for a live event or a line of somebody else's.
    static func key(of line: UnsafeRawBufferPointer) -> KnownReadings.Key? {
        guard let start = offset(after: "\"id\":\"", in: line, from: 0), start + KnownReadings.Key.idLength < line.count,
            let id = Reading.ID.parse(
                UnsafeRawBufferPointer(rebasing: line[start..<start + KnownReadings.Key.idLength]).bindMemory(to: UInt8.self).span)
        else { return nil }
        var revision = 0
        if let start = offset(after: "\"revision\":", in: line, from: start) {
            var index = start
            while index < line.count, index < start + 3, line[index] &- 0x30 < 10 {
                revision = revision * 10 + Int(line[index] - 0x30)
                index += 1
            }
        }
        let isPending = offset(after: "{\"type\":\"pending\"", in: line, from: 0) != nil
        return KnownReadings.Key(id, revision: UInt8(truncatingIfNeeded: revision), isPending: isPending)
    }

    private static func offset(after word: StaticString, in line: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = line.baseAddress, start < line.count else { return nil }
        guard
            let found = clinux_find(
                base + start, UInt(line.count - start), word.utf8Start, UInt(word.utf8CodeUnitCount))
        else { return nil }
        return UnsafeRawPointer(found) - base + word.utf8CodeUnitCount
    }
}

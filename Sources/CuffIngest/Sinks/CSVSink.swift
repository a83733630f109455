import CuffCore
import Glibc

/// Readings as a CSV file (RFC 4180, one header row, CRLF). The columns are `CSVRow.columns`, named as in the JSON
/// vocabulary. A reading that the file already holds is not written again; a pending one that is completed later comes as
/// a further row with the same id and a higher revision. Live events are not rows.
final class CSVSink: Sink, @unchecked Sendable {
    let label: String
    let isDurable: Bool
    private let file: LineFile
    private let known: KnownReadings
    private var text = TextBuffer(capacity: 1 << 16)

    init(path: String) throws(IngestError) {
        label = "csv:\(path)"
        file = try LineFile(path)
        isDurable = SinkSpec.isRegularFile(path) == true
        let known = KnownReadings(near: path)
        try file.recover { (bytes, isFirst) throws(IngestError) in
            if isFirst {
                guard CSVRow.isHeader(bytes) else {
                    throw IngestError(
                        .cannotCreate, "cannot append to \(path)", why: "its first row is not the header of this program",
                        cure: "name another file")
                }
            } else if let key = CSVRow.key(of: bytes), try known.insert(key) {
                known.keep()
            }
        }
        self.known = known
    }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        let start = file.size
        var repeated = 0
        text.removeAll()
        var fresh = 0
        do throws(IngestError) {
            if start == 0 { CSVRow.appendHeader(to: &text) }
            for index in batch.entries.readings.indices {
                let reading = batch.entries.readings[index]
                guard try known.insert(KnownReadings.Key(reading)) else {
                    repeated += 1
                    continue
                }
                fresh += 1
                CSVRow.append(reading, device: batch.device, to: &text)
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
}

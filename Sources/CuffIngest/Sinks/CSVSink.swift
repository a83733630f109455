import CuffCore
import Glibc

/// Readings as a CSV file (RFC 4180, one header row, CRLF). The columns are `CSVRow.columns`, named as in the JSON
/// vocabulary. A reading that the file already holds is not written again; a pending one that is completed later comes as
/// a further row with the same id and a higher revision. Live events are not rows.
final class CSVSink: Sink, @unchecked Sendable {
    let label: String
    private let file: LineFile
    private var known = KnownReadings()
    private var text = TextBuffer(capacity: 1 << 16)
    private var fresh: [UInt64] = []

    init(path: String) throws(IngestError) {
        label = "csv:\(path)"
        file = try LineFile(path)
        var known = KnownReadings()
        try file.recover { (bytes, isFirst) throws(IngestError) in
            if isFirst {
                guard CSVRow.isHeader(bytes) else {
                    throw IngestError(
                        .cannotCreate, "cannot append to \(path)", why: "its first row is not the header of this program",
                        cure: "name another file")
                }
            } else if let key = CSVRow.key(of: bytes) {
                _ = known.insert(key)
            }
        }
        self.known = known
    }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        let start = file.size
        var repeated = 0
        text.removeAll()
        fresh.removeAll(keepingCapacity: true)
        do throws(IngestError) {
            if start == 0 { CSVRow.appendHeader(to: &text) }
            for index in batch.entries.readings.indices {
                let reading = batch.entries.readings[index]
                let key = KnownReadings.key(of: reading)
                guard known.insert(key) else {
                    repeated += 1
                    continue
                }
                fresh.append(key)
                CSVRow.append(reading, device: batch.device, to: &text)
                if text.count >= 1 << 16 { try flush() }
            }
            try flush()
            if !fresh.isEmpty { try file.synchronise() }
            return repeated
        } catch {
            file.takeBack(to: start)
            known.remove(fresh)
            throw error
        }
    }

    private func flush() throws(IngestError) {
        guard text.count > 0 else { return }
        try text.withBytes { (bytes) throws(IngestError) in try file.append(bytes) }
        text.removeAll()
    }
}

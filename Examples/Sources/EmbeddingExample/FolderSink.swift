import CuffCore
import CuffIngest
import Glibc

extension SinkKind {
    /// `folder:DIR`, for a program that passes `SinkKind.all + [.folder]`.
    static let folder = SinkKind(
        "folder", operand: "DIR", help: "a JSON file for each reading", example: "folder:readings", durability: .acknowledged
    ) { (spec, _) throws(IngestError) in FolderSink(path: spec.path) }
}

/// A JSON file for each reading, in an existing folder: a durable sink.
final class FolderSink: ReadingSink {
    let label: String
    let isDurable = true
    private let path: String

    init(path: String) {
        label = "folder:\(path)"
        self.path = path
    }

    /// Called on one queue, with one batch at a time, in order. Returns how many readings were already stored.
    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        var repeated = 0
        for reading in batch.entries.readings {
            let name = "\(path)/\(reading.id)-\(reading.revision)\(reading.isPending ? "-pending" : "").json"
            if access(name, F_OK) == 0 {
                repeated += 1
                continue
            }
            var text = TextBuffer(capacity: 512)
            ReadingLine().append(reading, device: batch.device, to: &text)
            let file = try OutputFile(name)  // 0600, with a temporary name until it is complete
            try file.append(&text)
            try file.finish()  // syncs the file and its name
        }
        return repeated
    }
}

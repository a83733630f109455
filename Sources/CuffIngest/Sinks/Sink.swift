import CuffCore

/// A place where readings end up.
///
/// A sink contains no concurrency: the pipeline calls it from one queue, one batch at a time, in order.
/// - `write` returning means that every reading of the batch is durable here: the cuff may be told so, and may forget.
/// - `write` throwing means that it is not, and the same readings come again, perhaps in a larger batch. A sink must
///   therefore be idempotent by `Reading.id` and `revision`, also across runs of the program.
/// - A reading may come pending first and completed later, under the same id with a higher `revision`.
/// - Live events need no durability, and come only where `takesLiveEvents` says so.
///
/// To add one: a file with a final class that conforms, and a case of `SinkSpec.Kind` if it shall have a name on the
/// command line. A program that embeds this library hands its own over in `IngestOptions.moreSinks`.
public protocol Sink: AnyObject, Sendable {
    /// How the sink is named in reports, e.g. `sqlite:bp.db`.
    var label: String { get }
    var takesLiveEvents: Bool { get }
    /// Answers how many readings of the batch it already had.
    func write(_ batch: Batch) throws(IngestError) -> Int
    /// Called once, after the last write.
    func close() throws(IngestError)
}

extension Sink {
    public var takesLiveEvents: Bool { false }
    public func close() throws(IngestError) {}
}

extension SinkSpec {
    /// Opens the sink; nothing of an existing file is changed when that fails.
    public func open(line: ReadingLine = ReadingLine()) throws(IngestError) -> any Sink {
        switch kind {
        case .stdout: StandardOutputSink(line: line)
        case .table: TableSink()
        case .jsonl: try JSONLinesSink(path: path, line: line)
        case .csv: try CSVSink(path: path)
        case .sqlite: try SQLiteSink(path: path)
        }
    }
}

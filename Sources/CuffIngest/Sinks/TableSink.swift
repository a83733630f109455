import CuffCore
import Glibc

extension SinkKind {
    static let table = SinkKind(
        "table", operand: "", help: "lines for a person on standard output", example: "table", durability: .passThrough,
        traits: .standardOutput, parse: nothing
    ) { _, _ in TableSink() }
}

/// Lines for people at a terminal, with a heading. Programs use `StandardOutputSink`.
final class TableSink: ReadingSink {
    let label = "table"
    let takesLiveEvents = true
    var outputDescriptor: Int32? { descriptor }
    private let descriptor: Int32
    // From here on: used on the sink's queue only.
    nonisolated(unsafe) private var text = TextBuffer()
    nonisolated(unsafe) private var isHeadingDone = false

    init(descriptor: Int32 = STDOUT_FILENO) { self.descriptor = descriptor }

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        text.removeAll()
        for index in batch.entries.indices {
            if case .reading = batch.entries[index], !isHeadingDone {
                isHeadingDone = true
                text.append(string: ReadingTable.header)
            }
            ReadingTable.append(batch.entries[index], to: &text)
        }
        TerminalText.clean(&text)
        try Self.put(&text, to: descriptor)
        return 0
    }

    /// Writes lines, folded to the width of a terminal.
    static func put(_ text: inout TextBuffer, to descriptor: Int32) throws(IngestError) {
        if let width = TerminalSize.columns(of: descriptor) {
            let folded = TextTable.folded(text.string, width: width)
            text.removeAll()
            text.append(string: folded)
        }
        do throws(SystemFault) {
            try text.withBytes { (bytes) throws(SystemFault) in try Descriptor.writeAll(descriptor, bytes) }
        } catch {
            throw error.number == EPIPE ? .outputClosed : .writing("standard output", error.number)
        }
    }
}

/// Ends the run after this many readings; it is required, so that it counts readings that the other sinks have stored.
final class MaximumSink: ReadingSink {
    let label = "maximum"
    private let maximum: Int
    private let stop: StopSignal
    private let seen = Locked(0)

    init(_ maximum: Int, stop: StopSignal) {
        self.maximum = maximum
        self.stop = stop
    }

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        var settled = 0
        for index in batch.entries.readings.indices where !batch.entries.readings[index].isPending { settled += 1 }
        let total = seen.withLock { seen in
            seen += settled
            return seen
        }
        if total >= maximum { stop.raise() }
        return 0
    }
}

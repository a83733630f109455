import CuffClinical
import CuffCore
import Glibc

/// Shows one measurement at a terminal: a pressure bar on standard error, the result on standard output.
package final class MeasureView: ReadingSink {
    package let label = "terminal"
    package let takesLiveEvents = true
    private let output: Int32?
    // From here on: used on the sink's queue only.
    nonisolated(unsafe) private var bar: PressureBar
    nonisolated(unsafe) private var isDrawn = false
    nonisolated(unsafe) private var hasHeader = false

    /// `width` in columns. Without an output only the bar is shown.
    package init(width: Int, isUnicode: Bool, output: Int32?) {
        // Some terminals wrap in the last column.
        bar = PressureBar(width: width - 1, isUnicode: isUnicode)
        self.output = output
    }

    package func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        // Only the last pressure of a batch would be visible.
        var line: String?
        for entry in batch.entries {
            switch entry {
            case .live(.cuffPressure(let pressure), _, let elapsed): line = bar.line(pressure, elapsed: elapsed)
            case .live(.beat(let pressure, _, let isAfterGap), _, let elapsed):
                line = bar.line(pressure, isAfterGap: isAfterGap, elapsed: elapsed)
            case .live(.started, _, _): line = "the cuff is measuring"
            case .live: break
            case .reading(let reading):
                line = nil
                try put(reading)
            }
        }
        guard let line else { return 0 }
        isDrawn = true
        show("\r\u{1B}[K" + line)
        return 0
    }

    package func close() throws(IngestError) { wipe() }

    private func put(_ reading: Reading) throws(IngestError) {
        wipe()
        guard let output else { return }
        var text = TextBuffer(capacity: 256)
        if !hasHeader { text.append(string: ReadingTable.header) }
        hasHeader = true
        ReadingTable.append(reading, to: &text)
        try TableSink.put(&text, to: output)
    }

    private func wipe() {
        guard isDrawn else { return }
        isDrawn = false
        show("\r\u{1B}[K")
    }

    private func show(_ text: String) {
        try? Descriptor.writeAll(STDERR_FILENO, Array(text.utf8))
    }
}

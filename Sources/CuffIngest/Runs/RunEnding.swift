import CuffCore

/// What has to be said at the end of a run that did not do all that was asked of it. It gives no advice.
public enum RunEnding: Sendable, Hashable, CustomStringConvertible {
    /// Readings that came and were not stored; `isLate`: the time for storing them ran out.
    case notStored(UnstoredReadings, isLate: Bool = false)
    /// Everything is stored, but a sink did not close in time.
    case sinkDidNotClose
    /// A required sink holds lines that it has not delivered yet, and why, where it knows.
    case undelivered(lines: Int, sink: String, why: String?)
    /// A required sink refused readings, and what it said of the last one. `lacksZone`: the time of them is not known, because no zone of the
    /// cuff's clock was given.
    case refused(readings: Int, sink: String, why: String, lacksZone: Bool)
    /// Bytes in which the driver found nothing. `source` names one of several inputs; `recordedAs`: the driver that a capture names.
    case nothingUnderstood(driver: DriverID, bytes: Int, skipped: Int, source: String? = nil, recordedAs: String? = nil)
    /// Bytes came over a serial line, and nothing in them made sense.
    case wrongSettings(UnderstoodNothing)
    /// The time that was allowed ran out.
    case timeRanOut(address: String)
    /// The measurement did not end in the time that was allowed.
    case measurementTimedOut(address: String)
    /// A person or a program stopped the measurement.
    case measurementStopped(address: String)
    /// Another process was measuring, and has stopped the cuff.
    case stoppedByOther(address: String, process: Int32)
    /// No result came of a measurement, and why.
    case noResult(address: String, why: String)
    /// The line ended under the run.
    case lost(address: String, TransportFault)
    /// The session's own last words, at an address or of a file.
    case session(String, address: String? = nil)
    /// No cuff is plugged in that may be read.
    case nothingPluggedIn

    /// It tells how the conversation with the cuff ended, and nothing of what was stored.
    var isOfConversation: Bool {
        switch self {
        case .notStored, .sinkDidNotClose, .undelivered, .refused: false
        default: true
        }
    }

    /// What happened, in one plain line.
    public var description: String {
        switch self {
        case .notStored(let unstored, let isLate): (isLate ? "not everything could be stored in time: " : "") + "\(unstored)"
        case .sinkDidNotClose: "everything is stored, but a sink did not close in time"
        case .undelivered(let lines, let sink, let why): "\(lines) lines wait for \(sink)\(why.map { ": \($0)" } ?? ""); they are kept"
        case .refused(let readings, let sink, let why, _):
            "\(sink) refused \(Plural.text(readings, "reading"))\(why.isEmpty ? "" : ": \(why)")"
        case .nothingUnderstood(let driver, let bytes, let skipped, let source, _):
            "\(source.map { $0 + ": " } ?? "")no reading in \(Plural.text(bytes, "byte")), \(skipped) of which \(driver) does not understand"
        case .wrongSettings(let nothing): "\(nothing)"
        case .timeRanOut(let address): "\(address): the time allowed ran out"
        case .measurementTimedOut(let address): "\(address): no result: the measurement timed out; a stop was sent to the cuff"
        case .measurementStopped(let address): "\(address): the measurement was stopped"
        case .stoppedByOther(let address, let process): "\(address): process \(process) was measuring and has stopped the cuff"
        case .noResult(let address, let why): "\(address): no result: \(why)"
        case .lost(let address, let fault): "\(address): \(fault)"
        case .session(let text, let address): (address.map { "\($0): " } ?? "") + text
        case .nothingPluggedIn: "no cuff is plugged in that this program may read"
        }
    }
}

import CuffCore

/// A message at the end of a run that did not do all that was requested; without advice.
public enum RunEnding: Sendable, Hashable, CustomStringConvertible {
    /// `isLate`: the time for storing them ran out.
    case notStored(UnstoredReadings, isLate: Bool = false)
    /// Everything is stored, but a sink did not close in time.
    case sinkDidNotClose
    /// Undelivered lines of a required sink, with the reason if known.
    case undelivered(lines: Int, sink: String, why: String?)
    /// Readings refused by a required sink, with the last reason. `lacksZone`: their time is unknown without a zone for the
    /// cuff's clock.
    case refused(readings: Int, sink: String, why: String, lacksZone: Bool)
    /// Bytes without anything of the driver's protocol. `source` names one of several inputs; `recordedAs`: the driver named by a
    /// capture.
    case nothingUnderstood(driver: DriverID, bytes: Int, skipped: Int, source: String? = nil, recordedAs: String? = nil)
    /// Raw bytes of a cuff that only answers, without the requests.
    case requestsMissing(driver: DriverID, bytes: Int)
    /// Bytes came over a serial line, but none were understood.
    case wrongSettings(UnderstoodNothing)
    case timeRanOut(address: String)
    case measurementTimedOut(address: String)
    /// A person or a program stopped the measurement.
    case measurementStopped(address: String)
    /// Another process was measuring, and has stopped the cuff.
    case stoppedByOther(address: String, process: Int32)
    case noResult(address: String, why: String)
    case lost(address: String, TransportFault)
    /// The session's error, at an address or in a file.
    case session(String, address: String? = nil)
    case nothingPluggedIn

    /// Whether it is about the conversation with the cuff, not about storing.
    var isOfConversation: Bool {
        switch self {
        case .notStored, .sinkDidNotClose, .undelivered, .refused: false
        default: true
        }
    }

    /// One line.
    public var description: String {
        switch self {
        case .notStored(let unstored, let isLate): (isLate ? "not everything could be stored in time: " : "") + "\(unstored)"
        case .sinkDidNotClose: "everything is stored, but a sink did not close in time"
        case .undelivered(let lines, let sink, let why):
            "\(Plural.text(lines, "line")) queued for \(sink)\(why.map { ": \($0)" } ?? ""), and kept"
        case .refused(let readings, let sink, let why, _):
            "\(sink) refused \(Plural.text(readings, "reading"))\(why.isEmpty ? "" : ": \(why)")"
        case .nothingUnderstood(let driver, let bytes, let skipped, let source, _):
            "\(source.map { $0 + ": " } ?? "")no reading in \(Plural.text(bytes, "byte")) (\(skipped) not understood by \(driver))"
        case .requestsMissing(let driver, let bytes):
            "no reading in \(Plural.text(bytes, "byte")): \(driver) answers requests, and raw bytes do not contain them"
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

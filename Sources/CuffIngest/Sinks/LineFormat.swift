import CuffCore

/// How a line of a file is classified before the file is appended to.
enum LineKind: Equatable {
    case header
    /// Complete and of this program, with its reading.
    case own(KnownReadings.Key?)
    /// A row that a user has added to a table of this program: kept, but no evidence of who wrote the file.
    case added
    /// Of this program, but torn or overwritten, as after a power failure.
    case damaged
    case foreign
}

/// Writes entries as lines of a file, and recognises them.
protocol LineFormat: Sendable {
    /// Of the sink, such as `csv`.
    var scheme: String { get }
    var takesLiveEvents: Bool { get }
    /// Why a file with other contents is refused.
    var refusal: String { get }
    func appendHeader(to text: inout TextBuffer)
    func append(_ entry: borrowing BatchEntry, device: String, to text: inout TextBuffer)
    /// The layout of a file that begins with this line; this one for an empty file.
    func continuing(_ firstLine: [UInt8]) -> Self
    /// With its line feed.
    var lineEnd: [UInt8] { get }
    /// `isWhole` is false for what follows the last line feed.
    func kind(of line: UnsafeRawBufferPointer, isFirst: Bool, isWhole: Bool) -> LineKind
    /// Whether a line, possibly torn, begins as only a line of this program does.
    func begins(_ line: UnsafeRawBufferPointer) -> Bool
    /// Whether the part after the last line feed may be the beginning of a line of this program.
    func mayBegin(_ line: UnsafeRawBufferPointer) -> Bool
    /// The offset of a complete line in a damaged one: one that was appended after a torn line.
    func salvage(_ line: UnsafeRawBufferPointer) -> Int?
}

extension LineFormat {
    func continuing(_ firstLine: [UInt8]) -> Self { self }
}

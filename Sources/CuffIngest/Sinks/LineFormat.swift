import CuffCore

/// What a line of a file is to a sink that wants to append to that file.
enum LineKind: Equatable {
    case header
    /// Whole and of this program, with the reading that it holds.
    case own(KnownReadings.Key?)
    /// A row that somebody wrote into a table of this program: it stays, and says nothing of whose the file is.
    case added
    /// Of this program, but torn or overwritten, as a power cut leaves it.
    case damaged
    /// Not written by this program.
    case foreign
}

/// How entries become lines of a file, and how such lines are recognised.
protocol LineFormat: Sendable {
    /// The scheme of the sink, e.g. `csv`.
    var scheme: String { get }
    var takesLiveEvents: Bool { get }
    /// Why a file with other contents is refused.
    var refusal: String { get }
    func appendHeader(to text: inout TextBuffer)
    func append(_ entry: borrowing Entry, device: String, to text: inout TextBuffer)
    /// What ends a line, the line feed included.
    var lineEnd: [UInt8] { get }
    /// `isWhole` is false for what follows the last line feed.
    func kind(of line: UnsafeRawBufferPointer, isFirst: Bool, isWhole: Bool) -> LineKind
    /// Whether a line, which may be torn, begins as only a line of this program does.
    func begins(_ line: UnsafeRawBufferPointer) -> Bool
    /// Whether what follows the last line feed, however short, may be the beginning of a line of this program.
    func mayBegin(_ line: UnsafeRawBufferPointer) -> Bool
    /// Where in a damaged line a whole one begins: one that was appended behind a torn one.
    func salvage(_ line: UnsafeRawBufferPointer) -> Int?
}

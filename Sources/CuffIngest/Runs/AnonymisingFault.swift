import CuffCore

/// Why a recording cannot be anonymised. The first text is its path.
package enum AnonymisingFault: Fault {
    case noDriver(String)
    /// The family's frames contain fields that this program cannot identify.
    case unsupported(String, driver: String)
    case tooLarge(String)
    case empty(String)
    /// The shifted time is outside the range of the cuff's format.
    case timeOutOfRange(String, time: String)
    /// The rewritten recording has other readings, or still identifies the person.
    case unsafe(String, RedactionCheck.Fault)
    case needsFolder(String)
    /// Two recordings would be written to this path.
    case sameTarget(String)
    /// The recording names this driver, the user another one.
    case otherDriver(String, driver: String)

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .noDriver(let path): (.usage, "cannot anonymise \(path): its driver is unknown")
        case .unsupported(let path, let driver):
            (.unavailable, "cannot anonymise \(path): personal data in recordings of \(driver) is not fully known")
        case .tooLarge(let path):
            (.badData, "cannot anonymise \(path): it holds more than \(CaptureAnonymising.maximumBytes >> 20) MiB of bytes")
        case .empty(let path): (.badData, "\(path) holds no conversation")
        case .timeOutOfRange(let path, let time):
            (.usage, "cannot anonymise \(path): the cuff cannot write the time \(time) shifted so far")
        case .unsafe(let path, let fault): (.badData, "cannot anonymise \(path): \(Self.sentence(fault))")
        case .needsFolder(let path): (.usage, "cannot write several recordings to \(path): it is not a folder")
        case .sameTarget(let path): (.usage, "two of the recordings would be written to \(path)")
        case .otherDriver(let path, let driver):
            (.usage, "\(path) is a recording of \(driver), as its header says: leave out --driver, or correct the header")
        }
    }

    private static func sentence(_ fault: RedactionCheck.Fault) -> String {
        switch fault {
        case .timeOutOfRange: "a time cannot be shifted so far"
        case .differs(let number): "reading \(number) would have other values"
        case .notShifted(let number): "the time of reading \(number) could not be shifted"
        case .count(let before, let after): "it would give \(after) readings and events in place of \(before)"
        case .otherFrames: "its frames would be parsed differently"
        case .identityRemains: "an id or serial number of the cuff would remain"
        case .clockRemains: "a time of the cuff's clock would remain"
        }
    }
}

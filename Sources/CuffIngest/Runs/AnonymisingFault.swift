import CuffCore
import Glibc

/// Why a recording is not anonymised. The first text is its path.
package enum AnonymisingFault: Fault {
    /// Nothing says of which family the cuff is.
    case noDriver(String)
    /// The family's frames hold what this program cannot tell from the rest.
    case unsupported(String, driver: String)
    case tooLarge(String)
    case empty(String)
    /// The shift puts a time of the recording outside of what the cuff can write.
    case timeOutOfRange(String, time: String)
    /// The rewritten recording does not say what the original says, or still says who it was.
    case unsafe(String, RedactionCheck.Fault)
    /// Several recordings need a folder to be written to.
    case needsFolder(String)

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .noDriver(let path): (.usage, "cannot anonymise \(path): it does not say of which driver it is")
        case .unsupported(let path, let driver):
            (.unavailable, "cannot anonymise \(path): not everything that a recording of \(driver) may say of a person is known")
        case .tooLarge(let path):
            (.badData, "cannot anonymise \(path): it holds more than \(CaptureAnonymising.maximumBytes >> 20) MiB of bytes")
        case .empty(let path): (.badData, "\(path) holds no conversation")
        case .timeOutOfRange(let path, let time):
            (.usage, "cannot anonymise \(path): the cuff cannot write the time \(time) shifted so far")
        case .unsafe(let path, let fault): (.badData, "cannot anonymise \(path): \(Self.sentence(fault))")
        case .needsFolder(let path): (.usage, "cannot write several recordings to \(path): it is not a folder")
        }
    }

    private static func sentence(_ fault: RedactionCheck.Fault) -> String {
        switch fault {
        case .timeOutOfRange: "a time cannot be shifted so far"
        case .differs(let number): "reading \(number) would have other values"
        case .notShifted(let number): "the time of reading \(number) could not be shifted"
        case .count(let before, let after): "it would give \(after) readings and events in place of \(before)"
        case .otherFrames: "its frames would be judged otherwise"
        case .identityRemains: "an id or serial number of the cuff would remain"
        case .clockRemains: "a time of the cuff's clock would remain"
        }
    }
}

import CuffClinical
import CuffCore

/// Why stored measurements are not a 24-hour recording.
package enum RecordingFault: Error, Sendable, Hashable {
    /// They span more than `AmbulatoryRecording.longest`.
    case tooLong
    /// There are more than `AmbulatoryRecording.mostEvents`.
    case tooMany
    case severalCuffs([String])
    case empty
}

package struct PersonRecording: Sendable {
    /// The user slot; `nil` for readings without one.
    package var user: Int?
    package var result: Result<AmbulatoryRecording, RecordingFault>
}

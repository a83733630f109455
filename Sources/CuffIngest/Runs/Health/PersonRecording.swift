import CuffClinical
import CuffCore

/// Why stored measurements are no recording of a day.
package enum RecordingFault: Error, Sendable, Hashable {
    /// They span more than `AmbulatoryRecording.longest`.
    case tooLong
    /// They are more than `AmbulatoryRecording.mostEvents`.
    case tooMany
    /// They are of these cuffs, and a recording is of one.
    case severalCuffs([String])
    /// There is none.
    case empty
}

package struct PersonRecording: Sendable {
    package var person: Person
    package var result: Result<AmbulatoryRecording, RecordingFault>
}

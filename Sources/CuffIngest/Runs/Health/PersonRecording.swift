import CuffClinical

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
    package var person: Person
    package var result: Result<AmbulatoryRecording, RecordingFault>
}

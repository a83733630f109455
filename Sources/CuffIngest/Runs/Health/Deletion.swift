import CuffClinical
import CuffCore

/// Confirmation rules of deletion.
package enum Deletion {
    /// Without any condition nobody can have meant it.
    package static func permit(_ selection: ReadingSelection) throws(IngestError) {
        guard !selection.isEverything else {
            throw IngestError(SelectionFault.everythingToDelete)
        }
    }

    /// Throws unless the answer is `delete`; `nil` stands for a missing terminal.
    package static func confirm(_ answer: String?) throws(IngestError) {
        guard answer == "delete" else {
            throw IngestError(SelectionFault.deletionNotConfirmed(isAsked: answer != nil))
        }
    }
}

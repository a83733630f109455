package enum Deletion {
    /// A selection without any condition is refused.
    package static func permit(_ selection: ReadingSelection) throws(IngestError) {
        guard !selection.isEverything else {
            throw IngestError(SelectionFault.everythingToDelete)
        }
    }

    /// Throws unless the answer is `delete`; `nil`: there is no terminal.
    package static func confirm(_ answer: String?) throws(IngestError) {
        guard answer == "delete" else {
            throw IngestError(SelectionFault.deletionNotConfirmed(isAsked: answer != nil))
        }
    }
}

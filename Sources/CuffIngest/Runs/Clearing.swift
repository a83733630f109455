/// The confirmation rules for erasing a cuff's memory.
package enum Clearing {
    /// Throws unless there is a required durable sink and `confirmation` is `erase`.
    package static func permit(_ options: IngestOptions, confirmation: String) throws(IngestError) {
        guard options.keepsReadings else {
            throw IngestError(CommandFault.erasesUnstored)
        }
        guard confirmation == "erase" else {
            throw IngestError(CommandFault.erasureNotConfirmed)
        }
    }
}

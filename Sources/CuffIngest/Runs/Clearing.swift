import CuffCore
import Glibc

/// What must hold before a cuff's memory may be erased.
package enum Clearing {
    /// Throws a usage error unless a required durable sink is among the options and `confirmation` is `erase`.
    package static func permit(_ options: IngestOptions, confirmation: String) throws(IngestError) {
        guard options.keepsReadings else {
            throw IngestError(CommandFault.erasesUnstored)
        }
        guard confirmation == "erase" else {
            throw IngestError(CommandFault.erasureNotConfirmed)
        }
    }
}

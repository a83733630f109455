/// Errors in the configuration, or in what the command line adds to it.
package enum ConfigurationFault: Fault {
    case mistake(file: String, line: Int, ConfigurationMistake)
    case value(file: String, line: Int, IngestError)
    /// A configuration can run programs, so only this user and root may write it.
    case foreignOwner(String, user: UInt32)
    case writableByOthers(String)
    /// It contains a password.
    case readableByOthers(String)
    case notAFile(String)
    case tooLong(String, most: Int)
    case assignment(AddressFault)
    case listensOnce
    /// A rule about a person who is not a user of any cuff; the first text is the file and the line.
    case unknownPerson(String, String, known: [String])
    /// A new section would replace that of an earlier file, which the first text names.
    case replaces(String, person: String, in: String)
    /// A cuff's slot, or a cuff without slots, is bound to two persons; the first text is the file and the line.
    case boundTwice(String, place: String, persons: [String])
    /// Two sections are about one thing; the texts are files and lines.
    case saidTwice(String, String, first: String)

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .mistake(let file, let line, let mistake): (.badConfiguration, "\(file):\(line): \(mistake)")
        case .value(let file, let line, let cause): (.badConfiguration, "\(file):\(line): \(cause)")
        case .foreignOwner(let path, let user): (.noPermission, "cannot use \(path): it belongs to another user (uid \(user))")
        case .writableByOthers(let path): (.noPermission, "cannot use \(path): other users may change it")
        case .readableByOthers(let path): (.noPermission, "cannot use \(path): other users can read the password in it")
        case .notAFile(let path): (.badConfiguration, "cannot use \(path): it is not a regular file")
        case .tooLong(let path, let most): (.badConfiguration, "cannot use \(path): it has more than \(most >> 10) KiB")
        case .assignment(let fault): (.usage, fault.description)
        case .listensOnce: (.usage, "--listen waits for callers and --once ends")
        case .unknownPerson(let place, let person, _): (.badConfiguration, "\(place): no person is called `\(person)`")
        case .replaces(let place, let person, let file):
            (.badConfiguration, "\(place): a section of `\(person)` in \(file) would replace this one, with all its cuffs")
        case .saidTwice(let origin, let what, let first): (.badConfiguration, "\(origin): \(what) is already in \(first)")
        case .boundTwice(let origin, let place, let persons):
            (.badConfiguration, "\(origin): `\(place)` is of two persons: \(persons.joined(separator: ", "))")
        }
    }
}

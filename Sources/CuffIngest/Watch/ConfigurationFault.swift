/// What is wrong with the configuration, or with what the command line adds to it.
package enum ConfigurationFault: Fault {
    /// A line of a file has something that is not allowed there.
    case mistake(file: String, line: Int, ConfigurationMistake)
    /// The value of a file's line is one that its own parser refuses.
    case value(file: String, line: Int, IngestError)
    /// A configuration is acted on, so only this user and root may write it.
    case foreignOwner(String, user: UInt32)
    case writableByOthers(String)
    /// A folder, a pipe or a device in its place.
    case notAFile(String)
    case tooLong(String, most: Int)
    /// A text after --assign.
    case assignment(AddressFault)
    /// `--listen` waits for callers, and `--once` ends.
    case listensOnce
    /// A rule about a person whom no cuff knows; the first text is the file and the line.
    case unknownPerson(String, String, known: [String])
    /// A cuff's slot, or a cuff without slots, is bound to two persons; the first text is the file and the line.
    case boundTwice(String, place: String, persons: [String])

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .mistake(let file, let line, let mistake): (.badConfiguration, "\(file):\(line): \(mistake)")
        case .value(let file, let line, let cause): (.badConfiguration, "\(file):\(line): \(cause)")
        case .foreignOwner(let path, let user): (.noPermission, "cannot use \(path): it belongs to another user (uid \(user))")
        case .writableByOthers(let path): (.noPermission, "cannot use \(path): other users may change it")
        case .notAFile(let path): (.badConfiguration, "cannot use \(path): it is not a regular file")
        case .tooLong(let path, let most): (.badConfiguration, "cannot use \(path): it has more than \(most >> 10) KiB")
        case .assignment(let fault): (.usage, fault.description)
        case .listensOnce: (.usage, "--listen waits for callers and --once ends")
        case .unknownPerson(let place, let person, _): (.badConfiguration, "\(place): no person is called `\(person)`")
        case .boundTwice(let origin, let place, let persons):
            (.badConfiguration, "\(origin): `\(place)` is of two persons: \(persons.joined(separator: ", "))")
        }
    }
}

/// What is wrong with the configuration, or with what the command line adds to it.
public enum ConfigurationFault: Fault {
    /// What stands in a file's line is not allowed there.
    case mistake(file: String, line: Int, ConfigurationMistake)
    /// The value of a file's line is one that its own parser refuses.
    case value(file: String, line: Int, IngestError)
    /// What a configuration says is done, so nobody but this user and root may have written it.
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

    /// What kind of failure it is.
    public var status: RunStatus {
        switch self {
        case .mistake, .value, .unknownPerson, .notAFile, .tooLong: .badConfiguration
        case .foreignOwner, .writableByOthers: .noPermission
        case .assignment, .listensOnce: .usage
        }
    }

    /// What happened, in one plain line.
    public var description: String {
        switch self {
        case .mistake(let file, let line, let mistake): "\(file):\(line): \(mistake)"
        case .value(let file, let line, let cause): "\(file):\(line): \(cause)"
        case .foreignOwner(let path, let user): "cannot use \(path): it belongs to another user (uid \(user))"
        case .writableByOthers(let path): "cannot use \(path): other users may change it"
        case .notAFile(let path): "cannot use \(path): it is not a regular file"
        case .tooLong(let path, let most): "cannot use \(path): it has more than \(most >> 10) KiB"
        case .assignment(let fault): fault.description
        case .listensOnce: "--listen waits for callers and --once ends"
        case .unknownPerson(let place, let person, _): "\(place): no cuff has a user `\(person)`"
        }
    }
}

/// What a line of a configuration file says that it must not.
public enum ConfigurationMistake: Hashable, Sendable, CustomStringConvertible {
    /// The parser of TOML or of a value refuses it; the text is its own.
    case refused(String)
    /// `section` is empty at the top of the file.
    case unknownKey(String, section: String, known: [String])
    /// `wanted` says what the value is to be.
    case wrongType(String, wanted: String)
    /// A key where only named sections may stand: `[device.NAME]`.
    case notASection(String, of: String)
    case matchesNothing(section: String)
    case ignoresWithDriver
    case namesNoDriver(section: String)
    /// A sink without a place, or with several; `keys` are those that name one.
    case sinkPlaces(section: String, isNone: Bool, keys: [String])
    case acknowledgesNothing(String)
    /// A device of the current folder, which a configuration has not.
    case relativePath(String)
    /// An address of the page that the parser refuses.
    case notAPage(String, why: String)
    case alert(AlertMistake)

    /// What is wrong, in lower case and without a full stop.
    public var description: String {
        switch self {
        case .refused(let text): text
        case .unknownKey(let key, let section, _): "unknown key `\(key)`\(section.isEmpty ? "" : " in [\(section)]")"
        case .wrongType(let key, let wanted): "`\(key)` is to be \(wanted)"
        case .notASection(let name, let key): "`\(name)` is not allowed in [\(key)]"
        case .matchesNothing(let section): "[\(section)] says nothing of which device"
        case .ignoresWithDriver: "a device that is ignored has no driver"
        case .namesNoDriver(let section): "[\(section)] names no driver"
        case .sinkPlaces(let section, let isNone, _):
            "[\(section)] names \(isNone ? "no place" : "more than one place") for readings"
        case .acknowledgesNothing(let key): "`\(key)` acknowledges nothing"
        case .relativePath(let path): "`\(path)` begins in the current folder, and a configuration has none"
        case .notAPage(let text, let why): "`\(text)` is not an address to serve a page on: \(why)"
        case .alert(let mistake): mistake.description
        }
    }
}

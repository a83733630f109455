/// Errors in a line of a configuration file.
package enum ConfigurationMistake: Hashable, Sendable, CustomStringConvertible {
    /// Rejected by the parser of TOML or of a value, whose text it is.
    case refused(String)
    /// `section` is empty at the top of the file.
    case unknownKey(String, section: String, known: [String])
    /// `wanted`: a noun phrase for the expected value.
    case wrongType(String, wanted: String)
    /// A key where only named sections are allowed: `[device.NAME]`.
    case notASection(String, of: String)
    case matchesNothing(section: String)
    case ignoresWithDriver
    case namesNoDriver(section: String)
    /// A sink without a destination, or with several; `keys` are the possible ones.
    case sinkPlaces(section: String, isNone: Bool, keys: [String])
    case acknowledgesNothing(String)
    /// A type of reading that a sink may have.
    case unknownType(String, known: [String])
    /// A relative path; a configuration has no current folder.
    case relativePath(String)
    /// `why` is the parser's reason.
    case notAPage(String, why: String)
    case alert(AlertMistake)

    package var description: String {
        switch self {
        case .refused(let text): text
        case .unknownKey(let key, let section, _): "unknown key `\(key)`\(section.isEmpty ? "" : " in [\(section)]")"
        case .wrongType(let key, let wanted): "`\(key)` must be \(wanted)"
        case .notASection(let name, let key): "`\(name)` is not allowed in [\(key)]"
        case .matchesNothing(let section): "[\(section)] does not say which device it is"
        case .ignoresWithDriver: "a device that is ignored has no driver"
        case .namesNoDriver(let section): "[\(section)] names no driver"
        case .sinkPlaces(let section, let isNone, _):
            "[\(section)] names \(isNone ? "no place" : "more than one place") for readings"
        case .acknowledgesNothing(let key): "`\(key)` acknowledges nothing"
        case .unknownType(let word, _): "unknown type `\(word)`"
        case .relativePath(let path): "`\(path)` is relative: a configuration needs an absolute path"
        case .notAPage(let text, let why): "`\(text)` is not an address to serve a page on: \(why)"
        case .alert(let mistake): mistake.description
        }
    }
}

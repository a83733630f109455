/// What a line of a configuration file says that it must not.
package enum ConfigurationMistake: Hashable, Sendable, CustomStringConvertible {
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

    package var description: String {
        switch self {
        case .refused(let text): text
        case .unknownKey(let key, let section, _): "unknown key `\(key)`\(section.isEmpty ? "" : " in [\(section)]")"
        case .wrongType(let key, let wanted): "`\(key)` is to be \(wanted)"
        case .notASection(let name, let key): "`\(name)` is not allowed in [\(key)]"
        case .matchesNothing(let section): "[\(section)] does not say which device it is"
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

import ArgumentParser
import CuffCore
import CuffIngest
import Glibc

enum DriverChoice {
    static let completion = CompletionKind.list(CuffFamilies.all.map(\.id.description))
    /// The options of all drivers, without duplicates.
    static let optionCompletion = CompletionKind.list(Set(CuffFamilies.all.flatMap(\.options.keys)).sorted().map { "\($0)=" })

    static let simulatorOptionCompletion = CompletionKind.list(
        Set(CuffFamilies.all.flatMap(\.simulatorOptions.keys)).sorted().map { "\($0)=" })

    /// The driver of an id or a model's name.
    static func named(_ name: String) throws -> CuffDriver {
        do throws(RequestFault) { return try DriverName.driver(name) } catch { throw IngestError(error) }
    }

    /// As above; of several drivers of a model, only those for the device's kind of node count.
    static func named(_ name: String, at device: String) throws -> CuffDriver {
        do { return try named(name) } catch {
            let meaning = DriverName(name, among: CuffFamilies.all, unreachable: UnreachableCuffs.all)
            guard case .ambiguous(let ids) = meaning, let medium = medium(of: device) else { throw error }
            let suitable = ids.compactMap { CuffFamilies.named("\($0)") }.filter { $0.medium == medium }
            guard let driver = suitable.first, suitable.count == 1 else { throw error }
            return driver
        }
    }

    /// The kind of node at a path, or of a network address; `nil` for other addresses.
    private static func medium(of device: String) -> CuffDriver.Medium? {
        if device.contains("://") { return .tty }
        guard device.contains("/"), let path = realpath(String(device.prefix { $0 != "," }), nil) else { return nil }
        defer { free(path) }
        return String(cString: path).hasPrefix("/dev/hidraw") ? .hidraw : .tty
    }

    static func options(_ texts: [String]) throws -> [String: String] {
        var found: [String: String] = [:]
        for text in texts {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw IngestError(
                    .usage, "invalid option `--option \(text)`", why: "it has no `=`", hint: "write e.g. --option variant=inbody")
            }
            found[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        return found
    }
}

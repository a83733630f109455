import ArgumentParser
import CuffCore
import CuffIngest
import Logging

enum DriverChoice {
    static let completion = CompletionKind.list(CuffFamilies.all.map(\.id.description))
    /// The options of all drivers, without duplicates.
    static let optionCompletion = CompletionKind.list(Set(CuffFamilies.all.flatMap(\.options.keys)).sorted().map { "\($0)=" })

    static let simulatorOptionCompletion = CompletionKind.list(
        Set(CuffFamilies.all.flatMap(\.simulatorOptions.keys)).sorted().map { "\($0)=" })

    static func named(_ id: String) throws -> CuffDriver {
        guard let driver = CuffFamilies.named(id) else { throw IngestError.unknownDriver(id) }
        return driver
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

import CuffCore

extension DriverName {
    /// The driver of an id or a model's name.
    package static func driver(_ text: String, among drivers: [CuffDriver] = CuffFamilies.all) throws(RequestFault) -> CuffDriver {
        switch DriverName(text, among: drivers, unreachable: UnreachableCuffs.all) {
        case .driver(let driver): return driver
        case .ambiguous(let ids): throw .ambiguousDriver(text, drivers: ids.map(\.description))
        case .unreachable: throw .unreachableModel(text)
        case .unknown: throw .unknownDriver(text, known: drivers.map(\.id.description))
        }
    }
}

extension RequestFault {
    /// As a part of a longer sentence, with a suggestion.
    var phrase: String {
        guard case .unknownDriver(let name, let known) = self else { return statement.text }
        return "unknown driver `\(name)`" + (NearestWord.hint(name, among: known) ?? "; `cuff drivers` lists them")
    }
}

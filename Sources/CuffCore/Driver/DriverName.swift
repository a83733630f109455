/// What a user's name for a driver means: an id, or the name of a cuff model.
public enum DriverName: Sendable {
    case driver(CuffDriver)
    /// The model may be read by any of these drivers.
    case ambiguous([DriverID])
    /// A known model that no driver reads.
    case unreachable(UnreachableCuff)
    case unknown

    /// Looks up an id in the list, then a model. A model counts only by whole words, one of them with a letter and a
    /// digit, so that the name of a maker never selects a driver.
    public init(_ text: String, among drivers: [CuffDriver], unreachable: [UnreachableCuff]) {
        if let driver = drivers.first(where: { $0.id.description == text }) {
            self = .driver(driver)
            return
        }
        let words = text.split(separator: " ").map(String.init)
        let hasModel = words.contains { $0.contains(where: \.isNumber) && $0.contains(where: \.isLetter) }
        let isModel = hasModel && !(words.count == 1 && USBID(text) != nil)
        let models = isModel ? CuffModel.list(drivers, unreachable).filter { $0.match(words) == .whole } : []
        var found: [CuffDriver] = []
        for case .driver(let driver) in models.map(\.support) where !found.contains(where: { $0.id == driver.id }) { found.append(driver) }
        switch (found.count, models.first?.support) {
        case (1, _): self = .driver(found[0])
        case (2..., _): self = .ambiguous(found.map(\.id))
        case (_, .none(let cuff)?): self = .unreachable(cuff)
        default: self = .unknown
        }
    }
}

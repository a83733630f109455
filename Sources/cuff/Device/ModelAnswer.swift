import CuffCore
import CuffIngest

/// What an answer to "Which cuff is it?" means for a device: only models whose driver can read such a node are offered.
enum ModelAnswer {
    case driver(DriverID)
    /// Few enough to choose from by number.
    case choice([(model: String, driver: DriverID)])
    /// What to say before asking again.
    case none(String)

    /// More do not fit below a question.
    static let most = 9

    init(_ answer: String, for device: PluggedDevice) {
        if let driver = CuffFamilies.named(answer) {
            let wrong = "  \(driver.id) needs a \(driver.medium.rawValue) node, and \(device.node) is \(device.subsystem.rawValue)"
            self = device.suits(driver) ? .driver(driver.id) : .none(wrong)
            return
        }
        do {
            let models = try ModelTable.found(answer.split(separator: " ").map(String.init))
            let readable = models.compactMap { model -> (model: String, driver: DriverID)? in
                guard case .driver(let driver) = model.support, device.suits(driver) else { return nil }
                return (model.name, driver.id)
            }
            switch (Set(readable.map(\.driver)).count, readable.count) {
            case (0, _): self = .none(ModelTable.table(models, width: Terminal.errorWidth) + "  None of these is read from \(device.node).")
            case (1, _): self = .driver(readable[0].driver)
            case (_, ...Self.most): self = .choice(readable)
            default: self = .none("  \(readable.count) models match: write more of the name")
            }
        } catch {
            self = .none("  \((error as? IngestError)?.text ?? "\(error)")")
        }
    }
}

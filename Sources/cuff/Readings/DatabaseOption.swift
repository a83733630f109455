import ArgumentParser
import CuffIngest

struct DatabaseOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The database (default: readings.db of this user, as `cuff read` keeps it).", valueName: "file"),
        completion: .file())
    var db: String?

    func path() throws -> String { try Store.path(db) }

    /// Opens an existing one; damaged rows end the program with an error (`Damage.told`).
    func store(_ access: Store.Access = .read) throws -> Store { try Self.open(try path(), access) }

    static func open(_ path: String, _ access: Store.Access) throws -> Store {
        if access == .write { try Store.require(path) }
        let store = try Store(path, access: access)
        if access == .write { store.redelivery = try CuffConfiguration.load().redelivery }
        Damage.stores.append(store)
        return store
    }
}

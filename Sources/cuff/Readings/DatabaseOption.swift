import ArgumentParser
import CuffCore
import CuffIngest

struct DatabaseOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The database (default: readings.db of this user, as `cuff read` keeps it).", valueName: "file"),
        completion: .file())
    var db: String?

    func path() throws -> String { try Store.path(db) }

    /// Opens it; damaged rows end the program with an error (`Damage.told`).
    func store(_ access: Store.Access = .read) throws -> Store {
        let store = try Store(try path(), access: access)
        Damage.stores.append(store)
        return store
    }
}

import Glibc

extension Store {
    /// The default database: `readings.db` in `$STATE_DIRECTORY` (systemd), else in `$XDG_DATA_HOME/cuff`, else in
    /// `~/.local/share/cuff`; `nil` without a home.
    public static var standardPath: String? {
        if let folder = DriverMemory.serviceFolder { return "\(folder)/readings.db" }
        if let data = DriverMemory.variable("XDG_DATA_HOME"), data.hasPrefix("/") { return "\(data)/cuff/readings.db" }
        guard let home = DriverMemory.variable("HOME"), home.hasPrefix("/") else { return nil }
        return "\(home)/.local/share/cuff/readings.db"
    }

    /// Where the packaged service keeps its database.
    package static let serviceFile = "/var/lib/cuff/readings.db"

    /// The packaged service's database; `nil` if its folder is not there. Only root and the service can look into the folder.
    static func serviceDatabase(below folder: String = "/var/lib") -> String? {
        var status = stat()
        guard lstat("\(folder)/cuff", &status) == 0 else { return nil }
        let path = "\(folder)/cuff/readings.db"
        return access(path, F_OK) == 0 || errno == EACCES ? path : nil
    }

    static func missing(_ path: String, service: String? = serviceDatabase()) -> StoreFault {
        guard path == standardPath else { return .notThere(path, isStandard: false) }
        return service.map { .onlyOfService(own: path, service: $0) } ?? .notThere(path, isStandard: true)
    }

    /// For changes to a database that must exist: a mistyped path is not to become an empty database.
    /// - Throws: `StoreFault.notThere` or `onlyOfService` in an `IngestError`.
    package static func require(_ path: String) throws(IngestError) {
        var status = stat()
        // Of the link, not its target: a dangling link has an error of its own.
        if lstat(path, &status) != 0, errno == ENOENT { throw IngestError(missing(path)) }
    }

    /// The named database, else the default.
    /// - Throws: `StoreFault.noStandardPlace` in an `IngestError` if this user has no home.
    public static func path(_ named: String?) throws(IngestError) -> String {
        guard let path = named ?? standardPath else {
            throw IngestError(StoreFault.noStandardPlace)
        }
        return path
    }
}

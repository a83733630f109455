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

    /// The named database, else the default.
    public static func path(_ named: String?) throws(IngestError) -> String {
        guard let path = named ?? standardPath else {
            throw IngestError(StoreFault.noStandardPlace)
        }
        return path
    }
}

extension IngestOptions {
    /// Also stores readings in the default database. A service prints nothing then, because its standard output is the journal, which
    /// must not contain readings. Returns the database's path.
    /// - Throws: `StoreFault.noStandardPlace` in an `IngestError` if this user has no home.
    public mutating func keepInStandardStore() throws(IngestError) -> String {
        let path = try Store.path(nil)
        if DriverMemory.serviceFolder != nil { sinks.removeAll(where: \.writesStandardOutput) }
        sinks.insert(SinkSpec(.sqlite, path: path), at: 0)
        return path
    }

    /// For runs that do not read: readings that a cuff sends anyway are stored in the default database, opened on demand, and not
    /// printed. Without a default database they go to the sinks.
    public mutating func keepPassingReadings() {
        guard let path = Store.standardPath else { return }
        sinks = []
        moreSinks.append(DeferredSink(SinkSpec(.sqlite, path: path)))
    }
}

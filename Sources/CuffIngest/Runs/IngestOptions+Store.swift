extension IngestOptions {
    /// Keeps readings in the standard database, beside the sinks that are there. A service prints nothing then: its standard output
    /// is the machine's journal, where readings have no business. Answers where they are kept.
    public mutating func keepInStandardStore() throws(IngestError) -> String {
        let path = try Store.path(nil)
        if DriverMemory.serviceFolder != nil { sinks.removeAll(where: \.writesStandardOutput) }
        sinks.insert(SinkSpec(.sqlite, path: path), at: 0)
        return path
    }

    /// For a run that is about something else than readings: those that a cuff gives all the same are kept in the standard store,
    /// which is opened only then, and nothing is printed. Without a place for a store they go to the sinks as before.
    public mutating func keepPassingReadings() {
        guard let path = Store.standardPath else { return }
        sinks = []
        moreSinks.append(DeferredSink(SinkSpec(.sqlite, path: path)))
    }
}

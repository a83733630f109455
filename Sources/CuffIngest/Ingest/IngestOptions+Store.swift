extension IngestOptions {
    /// Keeps readings in the standard database, beside the sinks that are there. A service prints nothing then: its standard output
    /// is the machine's journal, where readings have no business. Answers where they are kept.
    public mutating func keepInStandardStore() throws(IngestError) -> String {
        let path = try Store.path(nil)
        if DriverMemory.serviceFolder != nil { sinks.removeAll(where: \.writesStandardOutput) }
        sinks.insert(SinkSpec(.sqlite, path: path), at: 0)
        return path
    }
}

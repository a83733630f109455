import CuffCore

/// Keeping readings outside of a pipeline. Each call is one transaction and blocks its thread.
extension Store {
    /// Keeps the readings of one cuff; answers how many of them are new.
    func keep(
        _ readings: [Reading], driver: DriverID, device: String = "", identity: DeviceIdentity? = nil, of person: String? = nil
    ) throws(IngestError) -> Int {
        let batch = ReadingBatch(driver: driver, device: device, identity: identity, entries: readings.map { .reading($0) })
        return readings.count - (try SQLiteSink(self, person: person).write(batch))
    }

    /// Keeps what was typed in for a person; returns the readings with their ids, and the number of new ones. Known readings also get
    /// the remarks and the metadata.
    func keep(entered readings: [Reading], of person: String? = nil) throws(IngestError) -> (readings: [Reading], new: Int) {
        var readings = readings
        for index in readings.indices {
            if let person { readings[index].enter(for: person) }
            readings[index].id = try idInPlace(of: readings[index].id)
        }
        let new = try keep(readings, driver: ManualEntry.driver, of: person)
        if new < readings.count {
            for reading in readings where reading.remarks != nil || !reading.metadata.isEmpty {
                _ = try annotate([reading.id], reading.remarks?.all ?? [], metadata: reading.metadata)
            }
        }
        return (readings, new)
    }

    /// Entering a deleted reading again creates it again. The deleted id remains deleted, because servers were notified; the
    /// entry gets a derived id, so that entering it twice still changes nothing.
    private func idInPlace(of id: Reading.ID) throws(IngestError) -> Reading.ID {
        var id = id
        while try !deleted(among: [id]).isEmpty { id.hash = XXHash64.hash(Array(id.description.utf8).span) }
        return id
    }
}

import CuffCore

/// Keeping readings outside of a pipeline. Each call is one transaction and blocks its thread.
extension Store {
    /// Keeps the readings of one cuff; answers how many of them are new.
    func keep(
        _ readings: [Reading], driver: DriverID, device: String = "", identity: DeviceIdentity? = nil
    ) throws(IngestError) -> Int {
        let batch = Batch(driver: driver, device: device, identity: identity, entries: readings.map { .reading($0) })
        return readings.count - (try SQLiteSink(self).write(batch))
    }

    /// Keeps what a person typed in; answers the readings with their ids, and how many of them are new. Those that were here get the
    /// remarks all the same.
    func keep(entered readings: [Reading]) throws(IngestError) -> (readings: [Reading], new: Int) {
        var readings = readings
        for index in readings.indices { readings[index].id = try idInPlace(of: readings[index].id) }
        let new = try keep(readings, driver: ManualEntry.driver)
        if new < readings.count {
            for reading in readings { if let remarks = reading.remarks { _ = try remark([reading.id], remarks.all) } }
        }
        return (readings, new)
    }

    /// What is typed in again after it was deleted is wanted again. The deleted id stays taken, because servers know that it is gone;
    /// the entry gets the one that follows from it, so that typing it in twice still changes nothing.
    private func idInPlace(of id: Reading.ID) throws(IngestError) -> Reading.ID {
        var id = id
        while try !deleted(among: [id]).isEmpty { id.hash = XXHash64.hash(Array(id.description.utf8).span) }
        return id
    }
}

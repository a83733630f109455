import CuffCore

extension ReadingBatch {
    /// The part that a sink may have.
    func limited(to consent: SinkConsent) -> ReadingBatch {
        guard !consent.isUnlimited else { return self }
        var part = self
        part.entries = BatchEntries(
            entries.filter { entry in
                switch entry {
                case .reading(let reading): consent.permits(reading)
                case .live(let event, _, _): consent.permits(event)
                }
            })
        return part
    }
}

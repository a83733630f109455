import CuffCore

extension Batch {
    /// The part that a sink may have.
    func limited(to consent: SinkConsent) -> Batch {
        guard !consent.isUnlimited else { return self }
        var part = self
        part.entries = Entries(
            entries.filter { entry in
                switch entry {
                case .reading(let reading): consent.permits(reading)
                case .live(let event, _, _): consent.permits(event)
                }
            })
        return part
    }
}

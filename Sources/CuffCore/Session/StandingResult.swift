/// The result that a monitor repeats in every message until its next determination: one determination is one reading. It serves monitors
/// that do not say when the result was determined. There another one is known by other values, or by evidence that the session has seen
/// (the end of a measurement). The first result may have been read by an earlier session: it is emitted as `untilAcknowledged`, so that the
/// ledger knows it again also after a restart (`OutstandingRecords`), and the next determination acknowledges it. For that the record's
/// bytes must be the values and nothing that changes while they stand.
struct StandingResult<Values: Equatable & Sendable>: Sendable {
    /// The present values; `nil` before the first result.
    private var values: Values?

    /// Nothing has been seen yet.
    init() {}

    /// A result was emitted.
    var isKnown: Bool { values != nil }

    /// Emits the result unless it is the one that is already known. With `isNew` the session has seen that it was
    /// determined just now. `emitted` counts the session's readings. Returns whether there is a new reading.
    mutating func receive(
        _ reading: Reading, _ values: Values, isNew: Bool, emitted: inout Int, into actions: inout SessionActions
    ) -> Bool {
        guard isNew || self.values != values else { return false }
        var reading = reading
        // The first one may be of long ago.
        reading.origin = isNew || self.values != nil ? .measurement : .memory
        reading.repetition = .untilAcknowledged
        // A result seen to be new was not left by an earlier session, whatever its values.
        if isNew || self.values != nil { actions.append(.acknowledge(through: emitted)) }
        emitted += 1
        self.values = values
        actions.emit(reading)
        return true
    }
}

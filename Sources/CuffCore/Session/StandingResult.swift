/// The result that a monitor repeats in every message until its next determination, read once. For monitors that do not send the time of
/// determination: a new one is recognised by other values, or by events such as the end of a measurement. The first result may be known
/// from an earlier session, so it is emitted as `untilAcknowledged` for `OutstandingRecords`, and acknowledged by the next determination.
/// The record's bytes must then be constant while the result is shown.
struct StandingResult<Values: Equatable & Sendable>: Sendable {
    private var values: Values?

    var isKnown: Bool { values != nil }

    /// Emits the result unless it is known. `isNew`: determined just now. `emitted` counts the readings. Returns whether it was emitted.
    mutating func receive(
        _ reading: Reading, _ values: Values, isNew: Bool, emitted: inout Int, into actions: inout SessionActions
    ) -> Bool {
        guard isNew || self.values != values else { return false }
        var reading = reading
        // The first result may be old.
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

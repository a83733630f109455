/// The scan reports of one association: the last one parsed, and what waits for its other half.
struct PHDReports: Sendable {
    var joiner = PHDJoiner()
    var unstamped = PHDUnstamped()
    private(set) var observations: [PHDObservation] = []
    var repeated = PHDRepeatedReport()
    private var number: UInt16?
    private var saidRelative = false

    /// Parses the observations of a report whose information begins at `info`; `false` if counts and lengths disagree.
    mutating func read(
        _ shape: PHDEvent.Shape, _ configuration: borrowing PHDConfiguration, scanner: Int?, _ apdu: Span<UInt8>, _ info: Int
    ) -> Bool {
        repeated.forget()
        observations.removeAll(keepingCapacity: true)
        return apdu.count >= info + 4
            && PHDReport.read(shape, configuration, scanner: scanner, apdu, info + 4, apdu.count, into: &observations)
    }

    mutating func learn(_ apdu: Span<UInt8>, _ head: PHDReportHead, _ configuration: borrowing PHDConfiguration) {
        if joiner.isEmpty { repeated.learn(apdu, head, observations, configuration) }
    }

    @inline(__always)
    mutating func note(_ number: UInt16, into actions: inout SessionActions) {
        if let last = self.number, number > last &+ 1, last != 0xFFFF {
            actions.note("scan reports \(last &+ 1) to \(number - 1) did not arrive")
        }
        self.number = number
    }

    /// Whether to report that the agent uses a relative clock: once per configuration.
    mutating func saysRelative() -> Bool {
        defer { saidRelative = true }
        return !saidRelative
    }

    mutating func configurationChanged() {
        repeated.forget()
        saidRelative = false
    }

    mutating func leave() {
        repeated.forget()
        number = nil
    }
}

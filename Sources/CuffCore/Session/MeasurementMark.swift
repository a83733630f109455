/// A file that exists while a measurement runs: a process that finds one after a crash stops the cuff. One line of readable text.
package struct MeasurementMark: Sendable, Hashable {
    /// The id of the cuff's driver.
    package var driver: String
    /// The cuff's address on the host, e.g. a device path.
    package var address: String
    /// The start time by the host's clock.
    package var begun: Timestamp

    package init(driver: String, address: String, begun: Timestamp) {
        self.driver = driver
        self.address = address
        self.begun = begun
    }

    /// `1 <driver> <milliseconds> <address>`
    package var line: String { "1 \(driver) \(begun.milliseconds) \(address)\n" }

    /// Parses `line`; `nil` for other text, including a line truncated by a crash.
    package init?(line: String) {
        guard line.hasSuffix("\n") else { return nil }  // truncated by the crash
        let parts = line.dropLast().split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "1", !parts[1].isEmpty, !parts[3].isEmpty, let begun = Int64(parts[2])
        else { return nil }
        self.init(driver: String(parts[1]), address: String(parts[3]), begun: Timestamp(milliseconds: begun))
    }
}

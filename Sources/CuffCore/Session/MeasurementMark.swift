/// A note that a measurement runs, kept on disk while it does: the process that finds one after a crash sends the cuff
/// a stop. It is one line of text, so that a person can read it as well.
public struct MeasurementMark: Sendable, Hashable {
    /// The id of the cuff's driver.
    public var driver: String
    /// How the host reaches the cuff, e.g. a device path.
    public var address: String
    /// When the measurement was started, by the host's clock.
    public var begun: Timestamp

    /// Sets each property as given.
    public init(driver: String, address: String, begun: Timestamp) {
        self.driver = driver
        self.address = address
        self.begun = begun
    }

    /// `1 <driver> <milliseconds> <address>`
    public var line: String { "1 \(driver) \(begun.milliseconds) \(address)\n" }

    /// Reads what `line` wrote; `nil` for anything else, a line cut short by a crash included.
    public init?(line: String) {
        guard line.hasSuffix("\n") else { return nil }  // cut short by the crash
        let parts = line.dropLast().split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "1", !parts[1].isEmpty, !parts[3].isEmpty, let begun = Int64(parts[2])
        else { return nil }
        self.init(driver: String(parts[1]), address: String(parts[3]), begun: Timestamp(milliseconds: begun))
    }
}

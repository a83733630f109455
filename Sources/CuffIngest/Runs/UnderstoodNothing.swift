import CuffCore

/// Bytes came over a serial line, but the driver understood none: usually the line settings are wrong.
public struct UnderstoodNothing: Sendable, Hashable, CustomStringConvertible {
    /// The driver.
    public var driver: DriverID
    /// The settings that were used.
    public var tried: LineSettings
    /// Other settings of this driver's cuffs.
    public var others: [LineSettings]

    /// `nil` if something was understood, nothing came, or there are no line settings.
    init?(_ counters: LinkCounters, of driver: CuffDriver, at line: LineSettings?) {
        guard driver.medium == .tty, counters.bytes > 0, counters.readings == 0, counters.liveEvents == 0, counters.duplicates == 0
        else { return nil }
        self.driver = driver.id
        tried = line ?? driver.line
        others = ([driver.line] + driver.otherLines).filter { [tried] in $0 != tried }
    }

    /// One line.
    public var description: String {
        let seen = others.isEmpty ? "" : " (\(driver) also comes with \(others.map(\.text).joined(separator: ", ")))"
        return "no valid data at \(tried.text): the cuff may use other settings\(seen), or not be a \(driver)"
    }
}

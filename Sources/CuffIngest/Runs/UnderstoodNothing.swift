import CuffCore

/// Bytes came over a serial line, and its driver made nothing of them: most often the line's settings are wrong.
public struct UnderstoodNothing: Sendable, Hashable, CustomStringConvertible {
    /// The driver that listened.
    public var driver: DriverID
    /// The settings that were tried.
    public var tried: LineSettings
    /// Other settings with which cuffs of this driver come.
    public var others: [LineSettings]

    /// `nil` when something was understood, when nothing came, or where there is no line to set.
    init?(_ counters: LinkCounters, of driver: CuffDriver, at line: LineSettings?) {
        guard driver.medium == .tty, counters.bytes > 0, counters.readings == 0, counters.liveEvents == 0, counters.duplicates == 0
        else { return nil }
        self.driver = driver.id
        tried = line ?? driver.line
        others = ([driver.line] + driver.otherLines).filter { [tried] in $0 != tried }
    }

    /// In one line, what was tried and what else may be.
    public var description: String {
        let seen = others.isEmpty ? "" : " (\(driver) also comes with \(others.map(\.text).joined(separator: ", ")))"
        return "what came at \(tried.text) made no sense: the cuff may send at other settings\(seen), or be no \(driver)"
    }
}

import CuffCore
import Glibc

package enum HostZone {
    static let folder = "/usr/share/zoneinfo"

    /// The named zone, such as `Europe/Berlin`, or a POSIX rule; `nil`: the machine's (`TZ`, else `/etc/localtime`).
    package static func named(_ name: String?) throws(IngestError) -> ZoneTable {
        guard let name else { return local() }
        // As a POSIX rule `UTC+2` is west of UTC; users mean east of it.
        let isOffset = (name.hasPrefix("UTC") || name.hasPrefix("GMT")) && name.contains { "+-".contains($0) }
        guard !isOffset, let zone = find(name) else {
            throw IngestError(RequestFault.unknownZone(name))
        }
        return zone
    }

    private static let tellUnknown = Locked<(@Sendable (String) -> Void)?>(nil)

    /// `tell` gets the value of `TZ` once, if that is not a zone of this machine. Its local time is UTC then, as in the C library.
    package static func onUnknown(_ tell: @escaping @Sendable (String) -> Void) { tellUnknown.withLock { $0 = tell } }

    /// The machine's zone; UTC if none is set.
    package static func local() -> ZoneTable {
        if let value = getenv("TZ").map({ String(cString: $0) }) {
            if let zone = find(value.hasPrefix(":") ? String(value.dropFirst()) : value) { return zone }
            tellUnknown.withLock { tell in
                tell?(value)
                tell = nil
            }
            return .utc
        }
        guard let bytes = contents("/etc/localtime") else { return .utc }
        return ZoneTable(tzif: bytes, name: localName() ?? "local") ?? .utc
    }

    private static func find(_ name: String) -> ZoneTable? {
        if name.isEmpty || name == "UTC" { return .utc }
        if name.hasPrefix("/") { return contents(name).flatMap { ZoneTable(tzif: $0, name: name) } }
        let isPlain = name.utf8.allSatisfy {
            $0 == 0x2F || $0 == 0x5F || $0 == 0x2B || $0 == 0x2D || $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26
        }
        if isPlain, !name.contains(".."), let bytes = contents("\(folder)/\(name)") { return ZoneTable(tzif: bytes, name: name) }
        // A rule without the dates of summer time has those of the United States, as in the C library.
        return ZoneTable(rule: name) ?? ZoneTable(rule: "\(name),M3.2.0,M11.1.0", name: name)
    }

    private static func contents(_ path: String) -> [UInt8]? {
        guard let descriptor = try? Descriptor.open(path, O_RDONLY), Descriptor.kind(descriptor) == .regular else { return nil }
        defer { close(descriptor) }
        return try? Descriptor.chunk(descriptor, 65536)
    }

    /// From the target of the link `/etc/localtime`.
    private static func localName() -> String? {
        guard let path = realpath("/etc/localtime", nil) else { return nil }
        defer { free(path) }
        let text = String(cString: path)
        guard let range = text.split(separator: "/").firstIndex(of: "zoneinfo") else { return nil }
        let name = text.split(separator: "/")[(range + 1)...].joined(separator: "/")
        return name.isEmpty ? nil : name
    }

    /// Parses a time, possibly relative to now.
    package static func instant(_ text: String, _ zone: ZoneTable) throws(IngestError) -> Timestamp {
        guard let time = TimeWords.instant(text, now: HostClock.reproducibleNow(), zone: zone) else {
            throw IngestError(RequestFault.notATime(text))
        }
        return time
    }
}

import CuffCore
import Glibc

package enum HostTime {
    /// `now`, or `2026-05-05T07:31[:00]`, with the offset of this machine's zone, which some cuffs store with the time.
    package static func local(_ text: String) throws(IngestError) -> DeviceTime {
        if text == "now" {
            var seconds = time(nil)
            var parts = tm()
            localtime_r(&seconds, &parts)
            return DeviceTime(
                year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday), hour: Int(parts.tm_hour),
                minute: Int(parts.tm_min), second: min(59, Int(parts.tm_sec)), utcOffset: Int(parts.tm_gmtoff) / 60)
        }
        let numbers = text.split(whereSeparator: { !$0.isNumber }).map { Int($0) ?? -1 }
        guard numbers.count == 5 || numbers.count == 6, text.count >= 16 else { throw malformed(text) }
        var time = DeviceTime(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers.count == 6 ? numbers[5] : 0)
        guard time.isPossible, numbers[0] < 10_000 else { throw malformed(text) }
        let zone = HostZone.local()
        time.utcOffset = Int16(truncatingIfNeeded: zone.offset(at: zone.instant(ofWall: time.wallSeconds)) / 60)
        return time
    }

    private static func malformed(_ text: String) -> IngestError {
        IngestError(RequestFault.notALocalTime(text))
    }
}

import Glibc

struct Volume: Sendable, Equatable {
    var size: UInt64
    /// Free for this user.
    var free: UInt64
    var isReadOnly = false
    var block: UInt64 = 4096
}

extension Volume {
    /// `nil` if statvfs(2) fails.
    init?(_ path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        // Some file systems reserve blocks for root.
        let free = geteuid() == 0 ? status.f_bfree : status.f_bavail
        self.init(
            size: UInt64(status.f_blocks) &* unit, free: UInt64(free) &* unit,
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0, block: unit)
    }

    /// SQLite maps an index of the log into memory and allocates one byte in every 4096. With smaller blocks the rest of the page
    /// is allocated at the first write, which raises SIGBUS on a full volume.
    var hasRoomForIndex: Bool { block >= 4096 || isReadOnly || free >= 128 << 10 }
}

/// How long the write-ahead log may become before it is checkpointed and truncated.
///
/// Log and file share a volume, and the file can grow only into what the log leaves free. A checkpoint costs two or three fsyncs
/// and a copy of the pages, so with enough room it is rare.
enum LogLimit {
    /// 4,096 pages: about 40,000 readings.
    static let most = 16 << 20
    /// 16 pages, what a handful of readings changes.
    static let least = 64 << 10
    /// Below this every transaction is checkpointed at once, so that the last free space goes to readings.
    static let scarce: UInt64 = 1 << 20

    /// Whether there is ample room for a transaction of 65,536 readings that lie far apart: each changes one page or two.
    static func takesLongTransactions(_ path: String) -> Bool { (Volume(path)?.free ?? 0) >= 2 << 30 }

    /// A 64th of the volume or an eighth of the free space, whichever is less.
    static func bytes(_ volume: Volume) -> Int {
        if volume.free < scarce { return 0 }
        return min(most, max(least, Int(min(volume.size / 64, volume.free / 8))))
    }
}

/// Decides when to warn that the log cannot be emptied: when it is much too long, and each time it has doubled.
struct LogWatch: Sendable {
    /// A delivery of a thousand readings needs about 400 KB of log.
    private static let usual = 512 << 10
    private var said = 0

    mutating func says(_ bytes: Int, limit: Int) -> Bool {
        guard bytes >= max(Self.usual, 4 * limit, 2 * said) else { return false }
        said = bytes
        return true
    }

    mutating func isFree() { said = 0 }
}

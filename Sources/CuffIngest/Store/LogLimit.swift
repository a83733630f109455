import Glibc

/// The room on the volume that holds a database.
struct Volume: Sendable, Equatable {
    var size: UInt64
    /// What this user may still write.
    var free: UInt64
    var isReadOnly: Bool
    /// The smallest piece that is given to a file.
    var block: UInt64 = 4096

    init(size: UInt64, free: UInt64, isReadOnly: Bool = false) {
        (self.size, self.free, self.isReadOnly) = (size, free, isReadOnly)
    }

    /// `nil` where the system does not say.
    init?(_ path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        // Some file systems keep blocks back for root.
        let free = geteuid() == 0 ? status.f_bfree : status.f_bavail
        self.init(
            size: UInt64(status.f_blocks) &* unit, free: UInt64(free) &* unit,
            isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
        block = unit
    }

    /// SQLite maps an index of the log into memory, and gives it one byte of room in every 4096. Where a block is smaller, the rest
    /// of the page is found when it is written to, and a volume that has none ends the process (SIGBUS). So there has to be some.
    var hasRoomForIndex: Bool { block >= 4096 || isReadOnly || free >= 128 << 10 }
}

/// How long the write-ahead log may become before its pages go into the database file and it is cut to nothing.
///
/// Log and file stand on one volume, and the file can grow only into what the log leaves free. Every emptying is two or three
/// fsyncs and a copy of the pages, so it is done seldom where there is room.
enum LogLimit {
    /// Four thousand pages: some forty thousand readings.
    static let most = 16 << 20
    /// Sixteen pages, what a handful of readings touches.
    static let least = 64 << 10
    /// With less room than this every transaction is taken into the file at once, so that the last of it goes to readings.
    static let scarce: UInt64 = 1 << 20

    /// A 64th of the volume, or an eighth of what is free where that is less.
    static func bytes(_ volume: Volume) -> Int {
        if volume.free < scarce { return 0 }
        return min(most, max(least, Int(min(volume.size / 64, volume.free / 8))))
    }
}

/// Decides when a person is told that the log cannot be emptied: once it is much longer than it should be, and again
/// whenever it has doubled.
struct LogWatch: Sendable {
    /// A delivery of a thousand readings is some 400 KB of log.
    private static let usual = 512 << 10
    private var said = 0

    /// Whether to say that a log of so many bytes is held by somebody.
    mutating func says(_ bytes: Int, limit: Int) -> Bool {
        guard bytes >= max(Self.usual, 4 * limit, 2 * said) else { return false }
        said = bytes
        return true
    }

    /// The log was emptied.
    mutating func isFree() { said = 0 }
}

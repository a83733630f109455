/// Which families match bytes of unknown origin: by framing, and for a recording by what each family's session reads of both sides
/// (`Identification.candidates(of:)`). Writes nothing and reveals no value.
public enum Identification {
    /// One matching family.
    public struct Candidate: Sendable, Hashable {
        /// The id of the family's driver.
        public var driver: DriverID
        /// The number of valid frames.
        public var frames: Int
        /// The number of bytes in those frames.
        public var bytes: Int
        /// The number of bytes examined.
        public var heard: Int
        /// Readings and failed measurements that the family's session finds.
        public var readings = 0
        /// Whether frames carry a check; without one a match means little.
        public var hasCheck: Bool
        /// The family's line settings, usual one first; empty for HID.
        public var lines: [LineSettings]

        /// The frames cover at least half of the bytes; any long input contains some frame whose check matches by chance.
        public var isExplained: Bool { frames > 0 && bytes >= heard - bytes }
        /// Frames with a check explain the bytes.
        public var isChecked: Bool { hasCheck && isExplained }
        /// Not a chance match: frames explain the bytes and were read, or are checked and repeated; without frames: something was read.
        public var isLikely: Bool { frames == 0 ? readings > 0 : isExplained && (readings > 0 || hasCheck && frames > 1) }
    }

    /// Matching families, best first: those that explain the bytes, those with a check, then by coverage.
    public static func candidates(for bytes: [UInt8], among drivers: [CuffDriver]) -> [Candidate] {
        var found: [Candidate] = []
        for driver in drivers {
            guard let (frames, covered) = driver.countFrames?(bytes), frames > 0 else { continue }
            found.append(candidate(driver, frames: frames, bytes: covered, of: bytes.count, readings: 0))
        }
        return found.enumerated().sorted { a, b in
            if a.element.isExplained != b.element.isExplained { return a.element.isExplained }
            if a.element.hasCheck != b.element.hasCheck { return a.element.hasCheck }
            if a.element.bytes != b.element.bytes { return a.element.bytes > b.element.bytes }
            return a.offset < b.offset
        }.map(\.element)
    }

    static func candidate(_ driver: CuffDriver, frames: Int, bytes: Int, of heard: Int, readings: Int) -> Candidate {
        Candidate(
            driver: driver.id, frames: frames, bytes: bytes, heard: heard, readings: readings, hasCheck: driver.check != nil,
            lines: driver.medium == .tty ? [driver.line] + driver.otherLines : [])
    }
}

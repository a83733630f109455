/// Which families bytes of unknown origin fit: by their framing, and in a recording by what each family's session reads of both
/// sides (`Identification.candidates(of:)`). It never writes and gives no value away.
public enum Identification {
    /// One family that the bytes fit.
    public struct Candidate: Sendable, Hashable {
        /// The id of the family's driver.
        public var driver: DriverID
        /// Whole frames that the family's format accepts.
        public var frames: Int
        /// How many of the bytes those frames cover.
        public var bytes: Int
        /// How many bytes there are.
        public var heard: Int
        /// Readings and failed measurements that the family's session finds in the whole.
        public var readings = 0
        /// The family's frames carry a check; without one a fit means little.
        public var hasCheck: Bool
        /// The line settings the family is known to use, its usual one first; empty for HID.
        public var lines: [LineSettings]

        /// The frames cover at least half of the bytes. In enough bytes of any kind some frame has a check that fits.
        public var isExplained: Bool { frames > 0 && bytes >= heard - bytes }
        /// The bytes were checked: frames with a check explain them.
        public var isChecked: Bool { hasCheck && isExplained }
        /// It is no chance fit: frames that explain the bytes were read, or carry a check and came more than once. Of a family without
        /// frames to count, something was read.
        public var isLikely: Bool { frames == 0 ? readings > 0 : isExplained && (readings > 0 || hasCheck && frames > 1) }
    }

    /// The families that fit, best first: those that explain the bytes, of these those with a check, then by how much they cover.
    public static func candidates(for bytes: [UInt8], among drivers: [CuffDriver]) -> [Candidate] {
        var found: [Candidate] = []
        for driver in drivers {
            guard let own = driver.findFrames?(bytes), own.frames > 0 else { continue }
            found.append(candidate(driver, frames: own.frames, bytes: own.bytes, of: bytes.count, readings: 0))
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

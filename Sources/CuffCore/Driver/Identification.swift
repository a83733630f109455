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
        /// Readings and failed measurements that the family's session finds in the whole.
        public var readings = 0
        /// The family's frames carry a check; without one a fit means little.
        public var hasCheck: Bool
        /// The line settings the family is known to use, its usual one first; empty for HID.
        public var lines: [LineSettings]

        /// It is no chance fit: something was read, or frames with a check came more than once.
        public var isLikely: Bool { readings > 0 || hasCheck && frames > 1 }
    }

    /// The families that fit, best first: those with a check before those without, then by how much they cover.
    public static func candidates(for bytes: [UInt8], among drivers: [CuffDriver]) -> [Candidate] {
        var found: [Candidate] = []
        for driver in drivers {
            guard let (frames, covered) = driver.countFrames?(bytes), frames > 0 else { continue }
            found.append(candidate(driver, frames: frames, bytes: covered, readings: 0))
        }
        return found.enumerated().sorted { a, b in
            if a.element.hasCheck != b.element.hasCheck { return a.element.hasCheck }
            if a.element.bytes != b.element.bytes { return a.element.bytes > b.element.bytes }
            return a.offset < b.offset
        }.map(\.element)
    }

    static func candidate(_ driver: CuffDriver, frames: Int, bytes: Int, readings: Int) -> Candidate {
        Candidate(
            driver: driver.id, frames: frames, bytes: bytes, readings: readings, hasCheck: driver.check != nil,
            lines: driver.medium == .tty ? [driver.line] + driver.otherLines : [])
    }
}

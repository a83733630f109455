/// Which families match bytes of unknown origin: by framing, and for a recording by what each family's session reads of both sides
/// (`Identification.candidates(of:)`). Writes nothing and reveals no value.
package enum Identification {
    package struct Candidate: Sendable, Hashable {
        package var driver: DriverID
        /// Whole frames that the family's format accepts; 0 for a family without frames to judge.
        package var frames: Int
        /// How many of the bytes those frames cover, or the records of the readings.
        package var bytes: Int
        /// The number of bytes examined.
        package var heard: Int
        /// Readings and failed measurements that the family's session finds.
        package var readings = 0
        /// Whether frames carry a check; without one a match means little.
        package var hasCheck: Bool
        /// The recording has the host's side, so that readings answer questions which were asked.
        package var hasQuestions = false
        /// The line settings the family is known to use, its usual one first; empty for HID.
        package var lines: [LineSettings]

        /// At least half of the bytes are covered. In enough bytes of any kind some frame has a check that fits.
        package var isExplained: Bool { bytes > 0 && bytes >= heard - bytes }
        /// The bytes were checked: frames with a check explain them.
        package var isChecked: Bool { hasCheck && isExplained }
        /// It is no chance fit: frames that explain the bytes were read, or carry a check and came more than once. Of a family without
        /// frames to count, answers to questions were read, or records that explain the bytes.
        package var isLikely: Bool {
            frames == 0 ? readings > 0 && (hasQuestions || isExplained) : isExplained && (readings > 0 || hasCheck && frames > 1)
        }

        /// Evidence against the family, the strongest first.
        package var objections: [Objection] {
            Objection.allCases.filter { objection in
                switch objection {
                case .mostUnexplained: !isExplained
                case .someUnexplained: isExplained && bytes < heard
                case .noCheck: !hasCheck
                case .noReading: readings == 0
                }
            }
        }
    }

    /// Evidence against a family; the raw value is the word in JSON.
    package enum Objection: String, Sendable, CaseIterable {
        /// More than half of the bytes belong to no frame of the family.
        case mostUnexplained = "most_unexplained"
        /// Some bytes belong to no frame of the family.
        case someUnexplained = "some_unexplained"
        /// Frames of the family have no check.
        case noCheck = "no_check"
        /// The driver reads nothing in the bytes.
        case noReading = "no_reading"
    }

    /// Matching families, best first: those that explain the bytes, those with a check, then by coverage.
    package static func candidates(for bytes: [UInt8], among drivers: [CuffDriver]) -> [Candidate] {
        var found: [Candidate] = []
        for driver in drivers {
            guard let own = driver.findFrames?(bytes), own.frames > 0 else { continue }
            found.append(candidate(driver, frames: own.frames, bytes: own.bytes, of: bytes.count))
        }
        return found.enumerated().sorted { a, b in
            if a.element.isExplained != b.element.isExplained { return a.element.isExplained }
            if a.element.hasCheck != b.element.hasCheck { return a.element.hasCheck }
            if a.element.bytes != b.element.bytes { return a.element.bytes > b.element.bytes }
            return a.offset < b.offset
        }.map(\.element)
    }

    static func candidate(_ driver: CuffDriver, frames: Int, bytes: Int, of heard: Int) -> Candidate {
        Candidate(
            driver: driver.id, frames: frames, bytes: bytes, heard: heard, hasCheck: driver.check != nil,
            lines: driver.medium == .tty ? [driver.line] + driver.otherLines : [])
    }
}

import CuffCore
import TestSupport
import Testing

/// In a protocol with a check, no single flipped bit of the cuff's bytes may change a reading; readings may be lost.
@Suite struct BitFlipTests {
    /// A capture with the header `check: none` has answers without one (an option of their protocol). Readings with the flag
    /// `no_measurement_check` were not checked either.
    static let checked = CaptureFile.playable.filter { $0.driver?.check != nil && $0.header["check"] != "none" }

    /// Limit of bytes replayed behind the flips of one capture: short captures have every bit flipped, long ones a fixed part.
    static let budget = Effort.choose(8_000, exhaustive: .max)

    @Test(arguments: checked)
    func flippedBit_GivesNoWrongReading(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        var replay = Replay(LinkState.Setup(driver))
        let truth = Set(Self.readings(replay, file.items[...]))
        let damaged = Self.damagedLines(file.items, driver)
        let step = Self.step(file.items)
        var next = 0
        for (index, item) in file.items.enumerated() {
            if case .fromCuff(let bytes) = item.content, !damaged.contains(index) {
                // The part before the flipped byte is played once.
                var before = replay
                for (place, byte) in bytes.enumerated() {
                    while next < 8 {
                        let flipped = byte ^ 1 << UInt8(next)
                        let rest = driver.medium == .tty ? [flipped] + bytes[(place + 1)...] : Self.replacing(bytes, place, flipped)
                        var after = before
                        after.play(CaptureItem(time: item.time, .fromCuff(rest)))
                        for reading in Self.readings(after, file.items[(index + 1)...])
                        where !reading.isValueless && !reading.flags.contains(.noMeasurementCheck) && !truth.contains(reading)
                            && !truth.contains(where: { reading.isLess(than: $0) })
                        {
                            Issue.record("bit \(next) of byte \(place) in line \(index + 1): \(reading)")
                        }
                        next += step
                    }
                    next -= 8
                    if driver.medium == .tty { before.play(CaptureItem(time: item.time, .fromCuff([byte]))) }
                }
            }
            replay.play(item)
            // Readings before a flip are included.
            _ = replay.collect()
        }
    }

    private static func replacing(_ bytes: [UInt8], _ place: Int, _ byte: UInt8) -> [UInt8] {
        var bytes = bytes
        bytes[place] = byte
        return bytes
    }

    /// The distance of flipped bits: odd, so that it covers every byte and bit position.
    private static func step(_ items: [CaptureItem]) -> Int {
        let size = items.reduce(0) { sum, item in if case .fromCuff(let bytes) = item.content { sum + bytes.count } else { sum } }
        // Eight bits in a byte; on average half of the capture follows.
        return size * 8 * size / 2 / budget | 1
    }

    /// Lines of frames that fail their check in the recording: a second flip might undo the first. A frame in several lines (HID reports)
    /// began after the preceding request.
    static func damagedLines(_ items: [CaptureItem], _ driver: CuffDriver) -> Set<Int> {
        func failures(_ replay: inout Replay) -> Int {
            replay.collect().notices.reduce(0) { sum, notice in
                switch notice {
                case .diagnostic(.skipped(let bytes, .badCheck)): sum + bytes
                case .diagnostic(.ignored): sum + 1
                default: sum
                }
            }
        }
        var replay = Replay(LinkState.Setup(driver))
        var known = failures(&replay)
        // Failures in a capture that ends behind the line.
        func failuresInAll() -> Int {
            var ended = replay
            ended.end()
            return known + failures(&ended)
        }
        var damaged: Set<Int> = []
        var before = failuresInAll()
        for index in items.indices {
            replay.play(items[index])
            known += failures(&replay)
            let count = failuresInAll()
            defer { before = count }
            guard count > before else { continue }
            damaged.insert(index)
            var earlier = index - 1
            while driver.medium == .hidraw, earlier >= 0, case .fromCuff = items[earlier].content {
                damaged.insert(earlier)
                earlier -= 1
            }
        }
        return damaged
    }

    /// The session's output for the rest of the items, without names.
    static func readings(_ replay: Replay, _ items: ArraySlice<CaptureItem>) -> [Saying] {
        var replay = replay
        for item in items { replay.play(item) }
        replay.end()
        return replay.collect().entries.compactMap { entry in
            guard case .reading(let reading) = entry else { return nil }
            return Saying(content: reading.content, user: reading.user, clock: reading.clock, flags: reading.flags)
        }
    }

    struct Saying: Hashable {
        var content: Reading.Content
        var user: Int32?
        var clock: DeviceClock
        var flags: MeasurementFlags

        /// A measurement whose end or cause was lost may become a failure, which has no values.
        var isValueless: Bool {
            if case .failure(let failure) = content { failure.reason == .noValue } else { false }
        }

        /// The same pressures without a pulse, whose own message may be lost.
        func isLess(than other: Saying) -> Bool {
            guard case .bloodPressure(let pressure) = content, pressure.pulse == nil,
                case .bloodPressure(var whole) = other.content
            else { return false }
            whole.pulse = nil
            whole.pulseAbsence = pressure.pulseAbsence
            return Saying(content: .bloodPressure(whole), user: other.user, clock: other.clock, flags: other.flags) == self
        }
    }
}

import CuffCore
import Testing

/// Where the protocol has a check, no single flipped bit anywhere in what the cuff sent makes a reading that the
/// undamaged capture does not have. Readings may be lost; none may change.
@Suite struct BitFlipTests {
    /// A capture whose header says `check: none` holds answers that carry none (an option of their protocol).
    static let checked = CaptureFile.playable.filter { $0.driver?.check != nil && $0.header["check"] != "none" }

    /// Large captures are sampled at a stride that meets every offset and bit in turn.
    static let flipLimit = 24_000

    @Test(arguments: checked)
    func flippedBit_GivesNoWrongReading(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let truth = Set(Self.readings(file.items, driver))
        let damaged = Self.damagedLines(file.items, driver)
        var flips: [(item: Int, bit: Int)] = []
        for (index, item) in file.items.enumerated() {
            guard case .fromCuff(let bytes) = item.content, !damaged.contains(index) else { continue }
            flips += (0..<(bytes.count * 8)).map { (index, $0) }
        }
        let stride = max(1, flips.count / Self.flipLimit)
        for number in Swift.stride(from: 0, to: flips.count, by: stride + (stride > 1 ? 1 - stride % 2 : 0)) {
            let (index, bit) = flips[number]
            guard case .fromCuff(var bytes) = file.items[index].content else { continue }
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            var items = file.items
            items[index].content = .fromCuff(bytes)
            for reading in Self.readings(items, driver)
            where !reading.isValueless && !truth.contains(reading) && !truth.contains(where: { reading.isLess(than: $0) }) {
                Issue.record("bit \(bit % 8) of byte \(bit / 8) in line \(index + 1): \(reading)")
            }
        }
    }

    /// Lines of frames that fail their check as they were recorded: a second flip might undo the first. A frame that
    /// lies in several lines (HID reports) began after the question before it.
    static func damagedLines(_ items: [CaptureItem], _ driver: CuffDriver) -> Set<Int> {
        func failures(_ count: Int) -> Int {
            var player = Replay(LinkState.Setup(driver))
            for item in items.prefix(count) { player.play(item) }
            player.end()
            return player.collect().notices.reduce(0) { sum, notice in
                switch notice {
                case .diagnostic(.skipped(let bytes, .badCheck)): sum + bytes
                case .diagnostic(.ignored): sum + 1
                default: sum
                }
            }
        }
        var damaged: Set<Int> = []
        for index in items.indices where failures(index + 1) > failures(index) {
            damaged.insert(index)
            var earlier = index - 1
            while driver.medium == .hidraw, earlier >= 0, case .fromCuff = items[earlier].content {
                damaged.insert(earlier)
                earlier -= 1
            }
        }
        return damaged
    }

    /// What the session said, without what merely names it.
    static func readings(_ items: [CaptureItem], _ driver: CuffDriver) -> [Saying] {
        var player = Replay(LinkState.Setup(driver))
        for item in items { player.play(item) }
        player.end()
        return player.collect().entries.compactMap { entry in
            guard case .reading(let reading) = entry else { return nil }
            return Saying(content: reading.content, user: reading.user, clock: reading.clock, flags: reading.flags)
        }
    }

    struct Saying: Hashable {
        var content: Reading.Content
        var user: Int32?
        var clock: DeviceClock
        var flags: MeasurementFlags

        /// A measurement whose end or cause was lost may be told as one that gave no value, which is no number.
        var isValueless: Bool {
            if case .failure(let failure) = content { failure.reason == .noValue } else { false }
        }

        /// The same pressures, whose pulse never came: where it has a message of its own, that one may be lost.
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

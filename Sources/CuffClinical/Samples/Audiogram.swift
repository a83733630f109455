import CuffCore

/// A pure-tone hearing test: the threshold of each ear at each frequency.
public struct Audiogram: Sendable, Hashable {
    /// The thresholds at one frequency. At least one ear has a value.
    public struct Point: Sendable, Hashable {
        /// In Hz.
        public let frequency: Digits
        /// In dB of hearing level; `nil` for an ear that was not tested.
        public let left: Digits?, right: Digits?
    }

    /// Ascending in frequency; each frequency once.
    public let points: [Point]

    /// Frequencies of a test; clinics use up to a dozen.
    static let mostPoints = 16
    /// The range of human hearing in Hz, and of audiometers in dB, against typing errors.
    static let frequencies = 20.0...20_000, levels = -20.0...130
    /// Partition 1024 of the nomenclature is private (MDC_PART_PVT, ISO/IEEE 11073-10101); the term is this program's own.
    static let partition: UInt16 = 1024, term: UInt16 = 0xC0F3

    init(points: [Point]) { self.points = points }

    /// Parses `250:34/27,500:30/-`: a frequency, the left and the right ear's level, `-` for an ear that was not tested. `nil` for
    /// anything else, a value outside of the limits, a repeated frequency, or too many.
    package init?(_ text: String) {
        var points: [Point] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: ":", omittingEmptySubsequences: false)
            guard sides.count == 2, let frequency = Self.number(sides[0], within: Self.frequencies) else { return nil }
            let ears = sides[1].split(separator: "/", omittingEmptySubsequences: false)
            guard ears.count == 2 else { return nil }
            let (left, right) = (Self.number(ears[0], within: Self.levels), Self.number(ears[1], within: Self.levels))
            guard left != nil || ears[0] == "-", right != nil || ears[1] == "-", left != nil || right != nil else { return nil }
            points.append(Point(frequency: frequency, left: left, right: right))
        }
        guard points.count <= Self.mostPoints, Set(points.map(\.frequency.value)).count == points.count else { return nil }
        self.points = points.sorted { $0.frequency.value < $1.frequency.value }
    }

    /// The audiogram of a typed-in reading; `nil` for any other reading.
    package init?(_ reading: Reading) {
        guard reading.isEntered, case .quantity(let quantity) = reading.content, quantity.partition == Self.partition,
            quantity.term == Self.term, let text = reading.text
        else { return nil }
        self.init(text)
    }

    /// The form that `init` parses.
    package var text: String {
        var text = TextBuffer(capacity: 256)
        text.append(each: points) { point, text in
            text.append(point.frequency)
            text.append(0x3A)
            Self.append(point.left, to: &text)
            text.append(0x2F)
            Self.append(point.right, to: &text)
        }
        return text.string
    }

    /// The reading of a typed-in audiogram; `nil` if its text is too long for a reading.
    package func reading(at time: Timestamp, user: Int32?, remarks: Remarks, received: Timestamp, zone: ZoneTable) -> Reading? {
        let text = text
        guard text.utf8.count <= Reading.longestText else { return nil }
        var typed = TextBuffer(capacity: 320)
        typed.append(utc: time)
        typed.append(string: " audiogram " + text)
        let quantity = Quantity(partition: Self.partition, term: Self.term, value: nil)
        var reading = Reading.entered(.quantity(quantity), as: typed.array, at: time, user: user, received: received, zone: zone)
        reading.text = text
        reading.remarks = remarks.isEmpty ? nil : remarks
        return reading
    }

    private static func append(_ level: Digits?, to text: inout TextBuffer) {
        if let level { text.append(level) } else { text.append(0x2D) }
    }

    /// A number with at most one decimal.
    private static func number(_ text: Substring, within range: ClosedRange<Double>) -> Digits? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.count == 1 || parts[1].utf8.count == 1, text.utf8.count <= 8,
            let mantissa = Int64(parts.joined()), text.first != "+"
        else { return nil }
        let digits = Digits(mantissa: mantissa, exponent: parts.count == 2 ? -1 : 0)
        return range.contains(digits.value) ? digits : nil
    }
}

/// Removes personal data from recordings of one family: overwrites names and numbers, shifts times by whole days, recomputes checks.
/// Lengths stay, except for escapes in frames.
///
/// A family has a redaction if the content of every frame is documented, or undocumented fields are overwritten too. `RedactionCheck`
/// verifies the result by replay.
public struct Redaction: Sendable {
    /// The sender of the bytes.
    public enum Side: Sendable, Hashable { case fromCuff, toCuff }

    /// The kind of a changed field.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case person = "names and ids of persons"
        case device = "serial numbers and ids of devices"
        case time = "times"
        /// Undocumented fields.
        case unknown = "fields of unknown meaning"
        /// Bytes outside whole frames, in a family whose frames name persons.
        case damaged = "bytes of damaged frames"
    }

    /// The state of one redaction: the shift, and the changes so far.
    public struct Work: Sendable {
        /// Days added to every time; may be negative.
        public let days: Int
        /// The number of changes of each kind.
        public private(set) var changes: [Kind: Int] = [:]
        /// Bytes outside whole frames that were kept.
        public internal(set) var leftBytes = 0
        /// The bytes outside frames stay; the replay counts them.
        var keepsGaps = false
        /// A time whose shifted value the family cannot represent.
        public private(set) var unshifted: DeviceTime?

        /// Personal texts in order of first appearance; beyond the limit they share one replacement.
        private var persons: [[UInt8]] = []
        private static let mostPersons = 4096

        /// A redaction without changes so far.
        public init(days: Int) { self.days = days }

        /// Counts one change.
        public mutating func note(_ kind: Kind) { changes[kind, default: 0] += 1 }

        /// The shifted time; `nil`, and recorded in `unshifted`, if its year leaves `years`; `nil` for an invalid date.
        public mutating func shifted(_ time: DeviceTime, years: ClosedRange<Int>) -> DeviceTime? {
            guard time.isPossible else { return nil }
            var moved = DeviceTime(wallSeconds: time.wallSeconds + Int64(days) * 86400, precision: time.precision)
            moved.hundredths = time.hundredths
            moved.utcOffset = time.utcOffset
            guard years.contains(Int(moved.year)) else {
                unshifted = time
                return nil
            }
            note(.time)
            return moved
        }

        /// Writes the shifted date as two or four digits of the year and two each of month and day, at these offsets.
        mutating func shiftDigits(_ bytes: inout [UInt8], year: Int, yearDigits: Int = 2, month: Int, day: Int) {
            let before = bytes
            let text = before.span
            guard let written = text.digits(year, yearDigits), let oldMonth = text.digits(month, 2), let oldDay = text.digits(day, 2)
            else { return }
            let century = yearDigits == 2 ? 2000 : 0
            let time = DeviceTime(year: century + written, month: oldMonth, day: oldDay)
            guard let moved = shifted(time, years: yearDigits == 2 ? 2000...2099 : 1900...2199) else { return }
            Self.put(Int(moved.year) - century, yearDigits, &bytes, year)
            Self.put(Int(moved.month), 2, &bytes, month)
            Self.put(Int(moved.day), 2, &bytes, day)
        }

        private static func put(_ value: Int, _ width: Int, _ bytes: inout [UInt8], _ offset: Int) {
            var rest = value
            for place in stride(from: offset + width - 1, through: offset, by: -1) where bytes.indices.contains(place) {
                bytes[place] = 0x30 + UInt8(rest % 10)
                rest /= 10
            }
        }

        /// Writes the shifted date as one byte each of year (since 2000), month and day; other `bits` of these bytes stay. Where the time of
        /// day is impossible, nothing is written.
        mutating func shiftBytes(
            _ bytes: inout [UInt8], year: Int, month: Int, day: Int, hour: Int? = nil, minute: Int? = nil, lastYear: Int = 2099,
            bits: (year: UInt8, month: UInt8, day: UInt8) = (0xFF, 0xFF, 0xFF)
        ) {
            guard bytes.indices.contains(year), bytes.indices.contains(month), bytes.indices.contains(day) else { return }
            let time = DeviceTime(
                year: 2000 + Int(bytes[year] & bits.year), month: Int(bytes[month] & bits.month), day: Int(bytes[day] & bits.day),
                hour: hour.map { Int(bytes[$0]) } ?? 0, minute: minute.map { Int(bytes[$0]) } ?? 0)
            guard let moved = shifted(time, years: 2000...lastYear) else { return }
            bytes[year] = bytes[year] & ~bits.year | UInt8(clamping: Int(moved.year) - 2000)
            bytes[month] = bytes[month] & ~bits.month | moved.month
            bytes[day] = bytes[day] & ~bits.day | moved.day
        }

        /// Replaces digits by `0` and letters by `A`; different persons stay different. Counts only real changes.
        mutating func blank(_ bytes: inout [UInt8], _ range: Range<Int>, _ kind: Kind) {
            let range = range.clamped(to: bytes.indices)
            let old = Array(bytes[range])
            var isChanged = false
            for index in range {
                let byte = bytes[index]
                let new: UInt8 =
                    switch byte {
                    case 0x30...0x39: 0x30
                    case 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: 0x41
                    default: byte
                    }
                isChanged = isChanged || new != byte
                bytes[index] = new
            }
            guard isChanged else { return }
            note(kind)
            if kind == .person { keepApart(&bytes, range, old) }
        }

        /// The second text gets the number 1 at its end, the third 2, as far as it has room.
        private mutating func keepApart(_ bytes: inout [UInt8], _ range: Range<Int>, _ old: [UInt8]) {
            var number = persons.firstIndex(of: old) ?? persons.count
            if number == persons.count, number < Self.mostPersons { persons.append(old) }
            for index in range.reversed() where number > 0 && (bytes[index] == 0x30 || bytes[index] == 0x41) {
                bytes[index] = 0x30 + UInt8(number % 10)
                number /= 10
            }
        }

        mutating func clear(_ bytes: inout [UInt8], _ range: Range<Int>, _ kind: Kind) {
            var isChanged = false
            for index in range.clamped(to: bytes.indices) where bytes[index] != 0 {
                bytes[index] = 0
                isChanged = true
            }
            if isChanged { note(kind) }
        }
    }

    /// Rewrites all items of one side in place; lengths stay, except for escapes.
    public var rewrite: @Sendable (inout [[UInt8]], Side, inout Work) -> Void

    /// For frames without a person, a serial number or a time. Bytes between frames stay.
    public static let nothing = Redaction { _, _, work in work.keepsGaps = true }

    /// Each report of the cuff.
    static func reports(_ body: @escaping @Sendable (inout [UInt8], inout Work) -> Void) -> Redaction {
        Redaction { reports, side, work in
            guard side == .fromCuff else { return }
            for index in reports.indices { body(&reports[index], &work) }
        }
    }

    /// All items as one stream, or of each item the part that `payload` selects (for HID reports).
    static func stream(
        payload: @escaping @Sendable ([UInt8]) -> Range<Int>? = { $0.indices },
        _ body: @escaping @Sendable (inout [UInt8], Side, inout Work) -> Void
    ) -> Redaction {
        Redaction { items, side, work in
            let ranges = items.map { payload($0)?.clamped(to: $0.indices) ?? 0..<0 }
            var bytes: [UInt8] = []
            for (item, range) in zip(items, ranges) { bytes += item[range] }
            let count = bytes.count
            body(&bytes, side, &work)
            guard bytes.count == count else { return }
            var offset = 0
            for (index, range) in ranges.enumerated() {
                items[index].replaceSubrange(range, with: bytes[offset..<(offset + range.count)])
                offset += range.count
            }
        }
    }

    /// Rewrites each whole frame of a stream. Bytes between frames stay, or are blanked if frames name persons. `takesRest`: the unfinished
    /// end of the stream is a frame too, because silence ends a frame.
    static func frames<Format: FrameFormat>(
        _ format: Format, blanksGaps: Bool = false, takesRest: Bool = false,
        payload: @escaping @Sendable ([UInt8]) -> Range<Int>? = { $0.indices },
        _ body: @escaping @Sendable (inout [UInt8], Side, inout Work) -> Void
    ) -> Redaction {
        stream(payload: payload) { bytes, side, work in
            var offset = 0
            while offset < bytes.count {
                let end = min(bytes.count, offset + Format.maximumLength)
                let length: Int? =
                    switch format.verdict(on: bytes.span.extracting(offset..<end)) {
                    case .frame(let length) where length > 0 && offset + length <= end: length
                    case .needMore where takesRest && end == bytes.count: end - offset
                    default: nil
                    }
                if let length {
                    var frame = Array(bytes[offset..<(offset + length)])
                    body(&frame, side, &work)
                    if frame.count == length { bytes.replaceSubrange(offset..<(offset + length), with: frame) }
                    offset += length
                } else {
                    if blanksGaps { work.blank(&bytes, offset..<(offset + 1), .damaged) } else { work.leftBytes += 1 }
                    offset += 1
                }
            }
        }
    }

    /// As `frames`, for escaped frames: `decode` extracts the content, `encode` frames it again. A change of length falls to the item with
    /// the frame's last byte. Bytes between frames are cleared, except for the delimiters: a damaged frame may name a person.
    static func escapedFrames<Format: FrameFormat>(
        _ format: Format, delimiters: [UInt8], decode: @escaping @Sendable (Span<UInt8>) -> [UInt8]?,
        encode: @escaping @Sendable ([UInt8]) -> [UInt8],
        _ body: @escaping @Sendable (inout [UInt8], Side, inout Work) -> Void
    ) -> Redaction {
        Redaction { items, side, work in
            let bytes = Array(items.joined())
            let owners = items.enumerated().flatMap { index, item in repeatElement(index, count: item.count) }
            var rewritten = items.map { _ in [UInt8]() }
            var offset = 0
            while offset < bytes.count {
                let end = min(bytes.count, offset + Format.maximumLength)
                guard case .frame(let length) = format.verdict(on: bytes.span.extracting(offset..<end)), length > 0, offset + length <= end
                else {
                    var gap = [bytes[offset]]
                    if !delimiters.contains(gap[0]) { work.clear(&gap, 0..<1, .damaged) }
                    rewritten[owners[offset]] += gap
                    offset += 1
                    continue
                }
                var frame = Array(bytes[offset..<(offset + length)])
                if var content = decode(frame.span) {
                    let before = content
                    body(&content, side, &work)
                    if content != before { frame = encode(content) }
                }
                for (index, byte) in frame.enumerated() {
                    let place = index == frame.count - 1 ? length - 1 : min(index, length - 1)
                    rewritten[owners[offset + place]].append(byte)
                }
                offset += length
            }
            items = rewritten
        }
    }
}

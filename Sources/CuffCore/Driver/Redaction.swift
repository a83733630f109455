/// How the bytes of one family's recordings lose what they say of a person: names and numbers are overwritten, times are shifted by
/// whole days, checks are computed again. Nothing changes its length, so that every byte stays where it was; only a frame whose bytes
/// are escaped may become longer or shorter by its escapes.
///
/// A family has one where its documents say what stands in every frame, or where what they leave open is overwritten too. The
/// result of a rewriting is not believed: `RedactionCheck` replays it beside the original.
public struct Redaction: Sendable {
    /// Whose bytes they are.
    public enum Side: Sendable, Hashable { case fromCuff, toCuff }

    /// What was changed.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Names and numbers of persons.
        case person = "names and ids of persons"
        /// Serial numbers and system ids.
        case device = "serial numbers and ids of devices"
        /// Times, shifted.
        case time = "times"
        /// Fields of which no document says what they hold.
        case unknown = "fields of unknown meaning"
        /// Bytes that belong to no whole frame, of a family whose frames name persons.
        case damaged = "bytes of damaged frames"
    }

    /// One rewriting: how far times are shifted, and what was changed so far.
    public struct Work: Sendable {
        /// Whole days that are added to every time; negative: earlier.
        public let days: Int
        /// How often each kind of field was changed.
        public private(set) var changes: [Kind: Int] = [:]
        /// Bytes that belong to no whole frame and stay as they were recorded.
        public internal(set) var leftBytes = 0
        /// A time that the shift puts outside of what the family can write; `nil` where there was none.
        public private(set) var unshifted: DeviceTime?

        /// Texts of persons in the order of their first appearance; a recording has few, and beyond the limit they become one.
        private var persons: [[UInt8]] = []
        private static let mostPersons = 4096

        /// Nothing changed yet.
        public init(days: Int) { self.days = days }

        /// Counts one change.
        public mutating func note(_ kind: Kind) { changes[kind, default: 0] += 1 }

        /// The time so many days later or earlier; `nil`, and remembered, where its year leaves `years`. A time that no calendar has
        /// is not a valid time: `nil`.
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

        /// Writes the shifted date over two or four digits of the year and two each of month and day, which stand at these offsets.
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

        /// Writes the shifted date over one byte each of year (since 2000), month and day.
        mutating func shiftBytes(_ bytes: inout [UInt8], year: Int, month: Int, day: Int, lastYear: Int = 2099) {
            guard bytes.indices.contains(year), bytes.indices.contains(month), bytes.indices.contains(day) else { return }
            let time = DeviceTime(year: 2000 + Int(bytes[year]), month: Int(bytes[month]), day: Int(bytes[day]))
            guard let moved = shifted(time, years: 2000...lastYear) else { return }
            bytes[year] = UInt8(clamping: Int(moved.year) - 2000)
            bytes[month] = moved.month
            bytes[day] = moved.day
        }

        /// Makes every digit of the range `0` and every letter `A`; blanks and punctuation stay, and different persons stay different. Counts nothing where that is so already.
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

        /// Different persons stay different: the second text gets the number 1 at its end, the third 2, as far as it has room.
        private mutating func keepApart(_ bytes: inout [UInt8], _ range: Range<Int>, _ old: [UInt8]) {
            var number = persons.firstIndex(of: old) ?? persons.count
            if number == persons.count, number < Self.mostPersons { persons.append(old) }
            for index in range.reversed() where number > 0 && (bytes[index] == 0x30 || bytes[index] == 0x41) {
                bytes[index] = 0x30 + UInt8(number % 10)
                number /= 10
            }
        }

        /// Makes every byte of the range zero. Counts nothing where that is so already.
        mutating func clear(_ bytes: inout [UInt8], _ range: Range<Int>, _ kind: Kind) {
            var isChanged = false
            for index in range.clamped(to: bytes.indices) where bytes[index] != 0 {
                bytes[index] = 0
                isChanged = true
            }
            if isChanged { note(kind) }
        }
    }

    /// Rewrites all items of one side, in their order and number; their lengths stay, but for escapes.
    public var rewrite: @Sendable (inout [[UInt8]], Side, inout Work) -> Void

    /// A family whose frames hold neither a person nor a serial number nor a time.
    public static let nothing = Redaction { _, _, _ in }

    /// The bytes of all items as one stream, or of each item the part that `payload` names (a HID report's).
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

    /// The whole frames of a stream, each alone. Bytes between them stay, or are blanked where frames name persons. `takesRest`: silence
    /// ends a frame too, so that one which is not whole at the end of the stream is one.
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

    /// The whole frames of a stream whose bytes are escaped, each by what it carries. `decode` takes the content out of a frame, which
    /// `encode` frames again. What a frame becomes longer or shorter by its escapes falls to the item that holds its last byte. Bytes
    /// between frames are blanked: a damaged frame may name a person.
    static func escapedFrames<Format: FrameFormat>(
        _ format: Format, decode: @escaping @Sendable (Span<UInt8>) -> [UInt8]?, encode: @escaping @Sendable ([UInt8]) -> [UInt8],
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
                    work.blank(&gap, 0..<1, .damaged)
                    rewritten[owners[offset]] += gap
                    offset += 1
                    continue
                }
                var frame = Array(bytes[offset..<(offset + length)])
                // A frame that carries nothing stays.
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

/// Records that a cuff sends again until they are acknowledged, where they carry neither time nor number of their own.
///
/// The rule, for every family: what was emitted and not acknowledged comes again when the conversation starts over, before
/// anything else and in the same order. Such a record is the one that is known. One that comes when nothing is
/// outstanding, or after another record, is a measurement of its own, whatever its numbers.
///
/// It is a value: the host keeps `bytes` from one process to the next. They are written before the reading goes on to
/// the sinks, and again before the acknowledgement is written to the line, so that a killed process leaves the correct
/// state: still outstanding before the acknowledgement, and no longer so after it. Where that cannot be known, nothing
/// is outstanding, and an equal record is kept beside the first.
public struct OutstandingRecords: Sendable, Hashable {
    struct Record: Sendable, Hashable {
        /// Over the cuff, the user and the record's bytes.
        var hash: UInt64
        /// Where it was placed when it came first.
        var place: UInt64
        var number = 0
    }

    /// Reports of an agent that wait for their confirmation; a cuff's largest batch is 90. The oldest go first, and
    /// would be kept twice.
    static let limit = 100

    /// Emitted and not acknowledged, oldest first.
    private var waiting: [Record] = []
    /// Acknowledged last: the acknowledgement may not have arrived.
    private var handed: [Record] = []
    /// Not acknowledged in an earlier conversation.
    private var expected: [Record] = []

    /// Nothing is outstanding.
    public init() {}

    /// No record waits for an acknowledgement, of this conversation or an earlier one.
    public var isEmpty: Bool { waiting.isEmpty && expected.isEmpty }

    /// The place of a record that was emitted as the `number`th: that of the record it repeats, else `fresh`.
    mutating func place(of hash: UInt64, number: Int, fresh: UInt64) -> UInt64 {
        var record = Record(hash: hash, place: fresh, number: number)
        if let index = expected.firstIndex(where: { $0.hash == hash }) {
            record.place = expected[index].place
            expected.removeFirst(index + 1)
        } else {
            expected.removeAll()
        }
        // The cuff went on.
        handed.removeAll()
        waiting.append(record)
        if waiting.count > Self.limit { waiting.removeFirst() }
        return record.place
    }

    mutating func acknowledge(through number: Int) {
        let count = waiting.prefix { $0.number <= number }.count
        guard count > 0 else { return }
        handed = Array(waiting.prefix(count))
        waiting.removeFirst(count)
    }

    /// What an earlier conversation left will not come again.
    mutating func expectNothing() { expected.removeAll() }

    mutating func acknowledgementLost() {
        waiting = handed + waiting
        handed.removeAll()
    }

    mutating func expectRepetitions() {
        // Those that came again stand before those that did not yet.
        expected = Array((waiting + expected).prefix(Self.limit))
        waiting.removeAll()
    }

    /// What is outstanding: 16 bytes each.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for record in waiting + expected {
            for word in [record.hash, record.place] {
                for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * shift))) }
            }
        }
        return bytes
    }

    /// Reads `bytes`; what is not whole is left out.
    public init(_ bytes: [UInt8]) {
        var offset = 0
        while let hash = bytes.span.bigEndian64(offset), let place = bytes.span.bigEndian64(offset + 8), waiting.count < Self.limit {
            waiting.append(Record(hash: hash, place: place))
            offset += 16
        }
    }
}

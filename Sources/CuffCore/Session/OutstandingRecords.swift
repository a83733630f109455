/// Records that a cuff sends again until they are acknowledged.
///
/// The rule, for every family: what was emitted and not acknowledged comes again when the conversation starts over, before
/// anything else and in the same order. Such a record is the one that is known. One that comes when nothing is
/// outstanding, or after another record, is a measurement of its own, whatever its numbers.
///
/// A record with the cuff's own time has no place here as long as that time moves on: the time names it. One whose time is
/// not later than that of the record that was acknowledged last (a clock that stands still, or begins anew at each start)
/// is told by its place, as if it had no time.
///
/// It is a value: the host keeps `bytes` from one process to the next. They are written before the reading goes on to
/// the sinks, and again before the acknowledgement is written to the line, so that a killed process leaves the correct
/// state: still outstanding before the acknowledgement, and no longer so after it. Where that cannot be known, nothing
/// is outstanding, and an equal record is kept beside the first.
public struct OutstandingRecords: Sendable, Hashable {
    struct Record: Sendable, Hashable {
        /// Over the cuff, the user and the record's bytes.
        var hash: UInt64
        /// Where it was placed when it came first; 0: its own time names it.
        var place: UInt64
        var number = 0
        var stamp: Int64?
    }
    /// In `bytes`, stands before the acknowledged stamp in the place of a hash.
    private static let stampMark: UInt64 = 0

    /// Reports of an agent that wait for their confirmation; a cuff's largest batch is 90. The oldest go first, and would be kept twice.
    static let limit = 100

    /// Emitted and not acknowledged, oldest first.
    private var waiting: [Record] = []
    /// Acknowledged last: the acknowledgement may not have arrived.
    private var handed: [Record] = []
    /// Not acknowledged in an earlier conversation.
    private var expected: [Record] = []
    /// The time that the record acknowledged last carries, on the cuff's wall clock; and the one before it.
    private var acknowledgedStamp: Int64?
    private var formerStamp: Int64?

    /// Nothing is outstanding.
    public init() {}

    /// Nothing has to be known of it in the next process.
    public var isEmpty: Bool { acknowledgedStamp == nil && !(waiting + expected).contains { $0.place != 0 } }

    /// What holds after another start of the machine, when the last write is unknown: which records were not acknowledged is not believed.
    public var afterAnotherBoot: OutstandingRecords {
        var left = OutstandingRecords()
        left.acknowledgedStamp = acknowledgedStamp
        return left
    }

    /// The place of a record that was emitted as the `number`th: that of the record it repeats, else `fresh`, or 0 where its own
    /// time names it. `stamp` is that time.
    mutating func place(of hash: UInt64, number: Int, fresh: UInt64, stamp: Int64? = nil) -> UInt64 {
        var record = Record(hash: hash, place: fresh, number: number, stamp: stamp)
        if let index = expected.firstIndex(where: { $0.hash == hash }) {
            record.place = expected[index].place
            expected.removeFirst(index + 1)
        } else {
            expected.removeAll()
            if let stamp, acknowledgedStamp.map({ stamp > $0 }) ?? true { record.place = 0 }
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
        guard let stamp = handed.last(where: { $0.stamp != nil })?.stamp else { return }
        (formerStamp, acknowledgedStamp) = (acknowledgedStamp, stamp)
    }

    /// What an earlier conversation left will not come again.
    mutating func expectNothing() { expected.removeAll() }

    mutating func acknowledgementLost() {
        waiting = handed + waiting
        if handed.contains(where: { $0.stamp != nil }) { acknowledgedStamp = formerStamp }
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
        func append(_ words: UInt64...) {
            for word in words { for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * shift))) } }
        }
        if let acknowledgedStamp { append(Self.stampMark, UInt64(bitPattern: acknowledgedStamp)) }
        for record in waiting + expected where record.place != 0 { append(record.hash, record.place) }
        return bytes
    }

    /// Reads `bytes`; what is not whole is left out.
    public init(_ bytes: [UInt8]) {
        var offset = 0
        while let hash = bytes.span.bigEndian64(offset), let place = bytes.span.bigEndian64(offset + 8), waiting.count < Self.limit {
            if hash == Self.stampMark {
                acknowledgedStamp = Int64(bitPattern: place)
            } else {
                waiting.append(Record(hash: hash, place: place))
            }
            offset += 16
        }
    }
}

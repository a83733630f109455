/// Records that a cuff repeats until they are acknowledged.
///
/// When a conversation restarts, unacknowledged records come again first, in the same order; such a record is the known one. A record that
/// comes when nothing is outstanding, or after another record, is a new measurement, whatever its values.
///
/// A record with the cuff's own time is identified by it while that time advances. If it is not later than that of the last acknowledged
/// record (the clock stopped or restarted), the record is treated as having no time.
///
/// The host stores `bytes` across processes: before a reading goes to the sinks, and before an acknowledgement is written, so that a killed
/// process leaves the correct state. If that is uncertain, nothing is outstanding, and an equal record is stored as a second one.
public struct OutstandingRecords: Sendable, Hashable {
    struct Record: Sendable, Hashable {
        /// A hash of the cuff, the user and the record's bytes.
        var hash: UInt64
        /// The place of its first arrival; 0: identified by its own time.
        var place: UInt64
        var number = 0
        var stamp: Int64?
    }
    /// In `bytes`: marks the acknowledged stamp, in place of a hash.
    private static let stampMark: UInt64 = 0

    /// Reports awaiting confirmation; a cuff's largest batch is 90. The oldest are dropped, and would be stored twice.
    static let limit = 100

    private var waiting: [Record] = []
    /// Acknowledged last: the acknowledgement may be lost.
    private var handed: [Record] = []
    /// Unacknowledged in an earlier conversation.
    private var expected: [Record] = []
    /// The wall-clock time of the record acknowledged last, and of the one before.
    private var acknowledgedStamp: Int64?
    private var formerStamp: Int64?

    /// Nothing is outstanding.
    public init() {}

    /// Nothing needs to be stored for the next process.
    public var isEmpty: Bool { acknowledgedStamp == nil && !(waiting + expected).contains { $0.place != 0 } }

    /// The state after a reboot: unacknowledged records are not trusted, because the last write is unknown.
    public var afterAnotherBoot: OutstandingRecords {
        var left = OutstandingRecords()
        left.acknowledgedStamp = acknowledgedStamp
        return left
    }

    /// The place of the `number`th record: that of the one it repeats, else `fresh`, or 0 if its own time, `stamp`, identifies it.
    mutating func place(of hash: UInt64, number: Int, fresh: UInt64, stamp: Int64? = nil) -> UInt64 {
        var record = Record(hash: hash, place: fresh, number: number, stamp: stamp)
        if let index = expected.firstIndex(where: { $0.hash == hash }) {
            record.place = expected[index].place
            expected.removeFirst(index + 1)
        } else {
            expected.removeAll()
            if let stamp, acknowledgedStamp.map({ stamp > $0 }) ?? true { record.place = 0 }
        }
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

    /// Records of an earlier conversation will not be repeated.
    mutating func expectNothing() { expected.removeAll() }

    mutating func acknowledgementLost() {
        waiting = handed + waiting
        if handed.contains(where: { $0.stamp != nil }) { acknowledgedStamp = formerStamp }
        handed.removeAll()
    }

    mutating func expectRepetitions() {
        // Repeated records come before those not repeated yet.
        expected = Array((waiting + expected).prefix(Self.limit))
        waiting.removeAll()
    }

    /// The state, 16 bytes per record.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        func append(_ words: UInt64...) {
            for word in words { for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * shift))) } }
        }
        if let acknowledgedStamp { append(Self.stampMark, UInt64(bitPattern: acknowledgedStamp)) }
        for record in waiting + expected where record.place != 0 { append(record.hash, record.place) }
        return bytes
    }

    /// Parses `bytes`, ignoring an incomplete record.
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

/// Gives the records of a memory in the order in which they become certain: at once where the slot is user 1's in either
/// model, and once the model is known where it is not.
struct OmronEEPROMDump: Sendable {
    private(set) var memory = OmronEEPROMMemory()
    /// The model, once it is known.
    private(set) var layout: OmronEEPROMLayout?
    /// Only this user's records are given.
    var user: Int?
    /// Slots that hold neither a record nor nothing.
    private(set) var unreadable = 0
    /// The bytes of each slot that has been settled: memory read twice gives its records once.
    private var settled: [Int: [UInt8]] = [:]
    /// Whole slots that wait for the model.
    private var waiting: Set<Int> = []
    private var occurrences = DumpOccurrences()

    init(_ layout: OmronEEPROMLayout? = nil) { self.layout = layout }

    /// Records whose user is not known.
    var unattributed: Int { waiting.count { memory.content($0) != .empty } }

    mutating func store(_ data: [UInt8], at address: Int, into actions: inout SessionActions) {
        for slot in memory.store(data, at: address) {
            if slot < OmronEEPROMMemory.certainSlots || layout != nil {
                settle(slot, into: &actions)
            } else if memory.record(slot) != nil {
                waiting.insert(slot)
            }
        }
    }

    /// The model is known now.
    mutating func decide(_ layout: OmronEEPROMLayout, into actions: inout SessionActions) {
        self.layout = layout
        for slot in waiting.sorted() { settle(slot, into: &actions) }
        waiting.removeAll()
    }

    private mutating func settle(_ slot: Int, into actions: inout SessionActions) {
        guard let record = memory.record(slot), settled[slot] != record, let owner = (layout ?? .sixty).user(of: slot) else { return }
        settled[slot] = record
        give(record, of: owner, into: &actions)
    }

    private mutating func give(_ record: [UInt8], of owner: Int, into actions: inout SessionActions) {
        if OmronEEPROMRecord.isEmpty(record) || user.map({ $0 != owner }) == true { return }
        guard var reading = OmronEEPROMRecord.reading(record, user: owner) else {
            unreadable += 1
            return actions.ignore("a slot that holds no record", record)
        }
        occurrences.mark(&reading)
        actions.emit(reading)
    }
}

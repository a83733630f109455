import CuffCore

/// The readings of one database whose person a user said. A copy of a database may have a million of them, so each takes 24 bytes.
package struct MovedReadings: Sendable, Hashable {
    /// Ascending.
    private var ids: [Reading.ID] = []
    /// For each id the index of its person.
    private var indexes: [Int] = []
    private var persons: [String] = []

    /// Without readings.
    package init() {}

    package var isEmpty: Bool { ids.isEmpty }

    /// Adds a reading, which is quick in the order of ids.
    package mutating func insert(_ id: Reading.ID, of person: String) {
        let index = persons.firstIndex(of: person) ?? persons.endIndex
        if index == persons.endIndex { persons.append(person) }
        let isLast = ids.last.map { Self.order($0) < Self.order(id) } ?? true
        let place = isLast ? ids.endIndex : place(of: id)
        ids.insert(id, at: place)
        indexes.insert(index, at: place)
    }

    /// Whose a reading is; `nil` if it was not moved.
    package subscript(id: Reading.ID) -> String? {
        let place = place(of: id)
        return place < ids.count && ids[place] == id ? persons[indexes[place]] : nil
    }

    /// Of the first id that is not less.
    private func place(of id: Reading.ID) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.order(ids[middle]) < Self.order(id) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func order(_ id: Reading.ID) -> (UInt64, UInt64) { (id.sortKey, id.hash) }
}

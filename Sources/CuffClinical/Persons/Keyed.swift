/// One value for each key, in the order in which they are first asked for. Nearly every reading has the key of the one before, whose value
/// is found without a search. `@usableFromInline` and `@inlinable`, so that other modules change a large value in place.
@usableFromInline package struct Keyed<Key: Hashable, Value> {
    @usableFromInline var places: [Key: Int] = [:]
    @usableFromInline var found: [(key: Key, value: Value)] = []
    @usableFromInline var latest: (key: Key, place: Int)?

    package init() {}

    /// The value of a key, made when it is first asked for.
    @inlinable package subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { places[key].map { found[$0].value } ?? value() }
        _modify {
            let place = place(of: key, default: value())
            yield &found[place].value
        }
    }

    /// The place of a key's value, made when it is first asked for.
    @inlinable package mutating func place(of key: Key, default value: @autoclosure () -> Value) -> Int {
        if let latest, latest.key == key { return latest.place }
        let place = places[key] ?? found.count
        if place == found.count {
            found.append((key, value()))
            places[key] = place
        }
        latest = (key, place)
        return place
    }

    /// The value at a place that `place(of:default:)` returned.
    @inlinable package subscript(place place: Int) -> Value {
        get { found[place].value }
        _modify { yield &found[place].value }
    }

    package var isEmpty: Bool { found.isEmpty }
}

extension Keyed: Sendable where Key: Sendable, Value: Sendable {}

package typealias ByPerson<Value> = Keyed<Person, Value>

extension Keyed where Key == Person {
    package var persons: Persons { Persons(found.map(\.key)) }
    /// In the order of `Persons`.
    package var sorted: [(person: Person, value: Value)] { found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}

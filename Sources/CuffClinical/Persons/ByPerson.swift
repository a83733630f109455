/// One value for each person. Nearly every reading is of the person of the one before, which is found without a search.
/// `@usableFromInline` and `@inlinable`, so that other modules change a large value in place.
@usableFromInline package struct ByPerson<Value> {
    @usableFromInline var places: [Person: Int] = [:]
    @usableFromInline var found: [(person: Person, value: Value)] = []
    @usableFromInline var latest: (person: Person, place: Int)?

    package init() {}

    /// The value of a person, made when it is first asked for.
    @inlinable package subscript(person: Person, default value: @autoclosure () -> Value) -> Value {
        get { places[person].map { found[$0].value } ?? value() }
        _modify {
            let place = place(of: person, default: value())
            yield &found[place].value
        }
    }

    /// The place of a person's value, made when it is first asked for.
    @inlinable package mutating func place(of person: Person, default value: @autoclosure () -> Value) -> Int {
        if let latest, latest.person == person { return latest.place }
        let place = places[person] ?? found.count
        if place == found.count {
            found.append((person, value()))
            places[person] = place
        }
        latest = (person, place)
        return place
    }

    /// The value at a place that `place(of:default:)` returned.
    @inlinable package subscript(place place: Int) -> Value {
        get { found[place].value }
        _modify { yield &found[place].value }
    }

    package var isEmpty: Bool { found.isEmpty }
    /// The persons.
    package var persons: Persons { Persons(found.map(\.person)) }
    /// In the order of `Persons`.
    package var sorted: [(person: Person, value: Value)] { found.sorted { $0.person < $1.person } }
}

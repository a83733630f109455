/// One value for each person. Nearly every reading is of the person of the one before, which is found without a search.
package struct ByPerson<Value> {
    private var places: [Person: Int] = [:]
    private var found: [(person: Person, value: Value)] = []
    private var latest: (person: Person, place: Int)?

    package init() {}

    /// The value of a person, made when it is first asked for.
    package subscript(person: Person, default value: @autoclosure () -> Value) -> Value {
        get { places[person].map { found[$0].value } ?? value() }
        _modify {
            let place: Int
            if let latest, latest.person == person {
                place = latest.place
            } else {
                place = places[person] ?? found.count
                if place == found.count {
                    found.append((person, value()))
                    places[person] = place
                }
                latest = (person, place)
            }
            yield &found[place].value
        }
    }

    package var isEmpty: Bool { found.isEmpty }
    /// The persons.
    package var persons: Persons { Persons(found.map(\.person)) }
    /// In the order of `Persons`.
    package var sorted: [(person: Person, value: Value)] { found.sorted { $0.person < $1.person } }
}

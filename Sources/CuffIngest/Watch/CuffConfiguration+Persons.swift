import CuffClinical
import CuffCore

extension CuffConfiguration {
    /// The persons' sections, and the `users` of the devices.
    package var household: Household {
        var household = Household()
        for binding in bindings { household.bind(binding.name, to: binding.place) }
        return household
    }

    /// How changed readings are given again to sinks.
    package var redelivery: Redelivery {
        var redelivery = Redelivery()
        redelivery.household = household
        for sink in sinks where !sink.spec.consent.isUnlimited { redelivery.consents[sink.spec.place] = sink.spec.consent }
        return redelivery
    }

    /// These sinks, each with the limits of a section of the same sink.
    package func limited(_ specs: [SinkSpec]) -> [SinkSpec] {
        let consents = redelivery.consents
        return specs.map { spec in
            var spec = spec
            if let consent = consents[spec.place] { spec.consent = consent }
            return spec
        }
    }

    /// Each name with a place, or with none, and the file and line that says so.
    private var bindings: [(name: String, place: String?, origin: String)] {
        let own = persons.flatMap { person in
            [(person.name, nil, person.origin)] + person.cuffs.map { (person.name, $0, person.origin) }
        }
        let ofDevices = devices.flatMap { device in
            device.users.sorted { $0.key < $1.key }.map { slot, name in
                (name, Household.place(cuff: device.name, slot: slot), device.origin)
            }
        }
        return own + ofDevices
    }

    /// When all files are read: a place is of one person, and a rule about a person who is not known would never be raised.
    mutating func checkPersons() throws(IngestError) {
        var household = Household()
        for (name, place, origin) in bindings {
            let holder = household.bind(name, to: place)
            guard let place, holder.lowercased() != name.lowercased() else { continue }
            try skip("person", IngestError(ConfigurationFault.boundTwice(origin, place: place, persons: [holder, name])))
            // It is not known which of them is meant.
            unbind(place)
        }
        for alert in alerts {
            guard let person = alert.rule.person, person != "none", Int(person) == nil, household.name(person) == nil else { continue }
            try skip("alert", IngestError(ConfigurationFault.unknownPerson(alert.personOrigin, person, known: household.names)))
            alerts.removeAll { $0.rule.name == alert.rule.name }
        }
        for sink in sinks {
            for person in sink.spec.consent.persons ?? [] where person != "none" && household.name(person) == nil {
                // Such a sink gets less, never more.
                try skip("person", IngestError(ConfigurationFault.unknownPerson(sink.personsOrigin, person, known: household.names)))
            }
        }
    }

    /// A slot that is bound to a person although the readings of its cuff name no user.
    package struct IdleSlot: Sendable, Hashable {
        package var place: String
        package var cuff: String
        package var driver: DriverID
        package var person: String
        package var origin: String
    }

    package var idleSlots: [IdleSlot] {
        devices.flatMap { device -> [IdleSlot] in
            guard let driver = device.driver, CuffFamilies.named(driver.description)?.namesUsers == false else { return [] }
            return bindings.compactMap { person, place, origin in
                guard let place, place.hasPrefix(device.name + ":"), Int(place.dropFirst(device.name.count + 1)) != nil else { return nil }
                return IdleSlot(place: place, cuff: device.name, driver: driver, person: person, origin: origin)
            }
        }
    }

    private mutating func unbind(_ place: String) {
        for index in persons.indices { persons[index].cuffs.removeAll { $0 == place } }
        for index in devices.indices {
            let name = devices[index].name
            devices[index].users = devices[index].users.filter { slot, _ in Household.place(cuff: name, slot: slot) != place }
        }
    }
}

/// `[person.NAME]`
extension ConfigurationSection {
    func person() throws(IngestError) -> CuffConfiguration.NamedPerson {
        try checkKeys(["cuffs"])
        if let refusal = Household.refusal(of: name) { throw error(nil, .refused(refusal)) }
        let wanted = "a list of cuffs, with the user's number where a cuff has users: [\"kitchen:1\", \"wrist\"]"
        let cuffs = try texts("cuffs", wanted) ?? []
        return CuffConfiguration.NamedPerson(name: name, cuffs: cuffs, origin: origin(table["cuffs"] == nil ? nil : "cuffs"))
    }
}

import CuffClinical
import CuffCore

extension Pipeline {
    /// From now on readings get the names of their persons by this household.
    func name(by household: Household) {
        inner.withLock { inner in
            let moved = inner.household.moved
            inner.household = household
            if household.moved.isEmpty { inner.household.moved = moved }
        }
    }

    /// From now on readings that one of the drivers decoded get the name of this program with its version and the driver's. Only where a
    /// sink stores readings: what is only printed was decoded by the program that prints it.
    func name(program: String?) {
        guard let program, members.contains(where: { $0.sink.isDurable }) else { return }
        let decoders = drivers.map { ($0.id, $0.decoder(of: program)) }
        inner.withLock { $0.decoders = Dictionary(decoders, uniquingKeysWith: { first, _ in first }) }
    }
}

extension ReadingBatch {
    /// Gives each reading the name of its person, if there is one, and of what decoded it.
    mutating func name(by household: Household, decoder: String?) {
        guard !household.isEmpty || decoder != nil else { return }
        let device = device
        entries.updateReadings { reading in
            if !household.isEmpty { reading.person = household.person(of: reading, device: device).name }
            if let decoder { reading.decoder = decoder }
        }
    }
}

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
}

extension Batch {
    /// Gives each reading the name of its person, if there is one.
    mutating func name(by household: Household) {
        let device = device
        entries.updateReadings { $0.person = household.person(of: $0, device: device).name }
    }
}

import CuffCore

extension WatchState {
    /// How to open a place, given the devices and assignments; `nil` to leave it closed.
    func plan(
        for place: Place, _ deviceState: DeviceState
    ) -> (LinkPlan?, Claiming.Reason?, Claiming.Verdict?) {
        switch place {
        case .device:
            guard let device = deviceState.device else { return (nil, nil, nil) }
            let verdict = Claiming.verdict(on: device, assignments: assignments, drivers: drivers)
            guard case .claimed(let driver, let reason) = verdict else { return (nil, nil, verdict) }
            var plan = LinkPlan(target: .plugged(device), identity: identity(of: device, at: place, reason), driver: driver)
            if case .assigned(let assignment) = reason { plan.apply(assignment) }
            plan.isScheduled = schedules.contains { $0.fits(plan) }
            return (plan, reason, verdict)
        case .address(let address):
            guard let assignment = assignments.last(where: { $0.address == address }), let driver = assignment.driver,
                drivers.contains(where: { $0.id == driver })
            else { return (nil, nil, nil) }
            var plan = LinkPlan(target: .place(address), identity: address.description, driver: driver)
            plan.apply(assignment)
            plan.isScheduled = schedules.contains { $0.fits(plan) }
            return (plan, .assigned(assignment), nil)
        }
    }

    /// Distinguishes connected cuffs of one make without serial numbers by their ports.
    private func identity(of device: PluggedDevice, at place: Place, _ reason: Claiming.Reason) -> String {
        device.identity(reason) { own in deviceStates.contains { $0.key != place && $0.value.plan?.identity == own } }
    }
}

extension LinkPlan {
    mutating func apply(_ assignment: Assignment) {
        line = assignment.line
        options = assignment.options
        if let name = assignment.name { identity = name }
    }

    /// Whether an open link need not be reopened for the other plan.
    func isSameConversation(as other: LinkPlan?) -> Bool {
        guard let other else { return false }
        return driver == other.driver && line == other.line && options == other.options && identity == other.identity
            && place == other.place && isScheduled == other.isScheduled
    }
}

import CuffCore

/// A message for the user, in one line.
package enum WatchNotice: Sendable, Hashable, CustomStringConvertible {
    case opening(LinkPlan, Claiming.Reason?)
    case unclaimed(PluggedDevice, Claiming.Verdict)
    case unplugged(PluggedDevice)
    /// Reported if the reason is new, not for every attempt.
    case failed(LinkPlan, String, retryIn: Duration?)
    case complete(LinkPlan)
    /// The device was disconnected and returned at once: brltty does that to adapters that it assumes to be Braille displays.
    case flickered(PluggedDevice)
    case notPluggedIn(Assignment)
    case watcher(String)

    package var description: String {
        switch self {
        case .opening(let plan, _): "\(plan.place): \(plan.driver), as \(plan.identity)"
        case .unclaimed(let device, let verdict): "\(device.summary): \(verdict.sentence(for: device))"
        case .unplugged(let device): "\(device.node) (\(device.key)) was unplugged"
        case .failed(let plan, let why, nil): "\(plan.place): \(why); giving up"
        case .failed(let plan, let why, let pause?):
            "\(plan.place): \(why); trying again in \(Plural.span(max(1, pause.components.seconds)))"
                + ", then less and less often"
        case .complete(let plan): "\(plan.place): read to the end"
        case .flickered(let device):
            "\(device.node) vanished right after it came and is back: a program such as brltty opens and releases it"
        case .notPluggedIn(let assignment): "\(assignment.address) (\(assignment.origin)) is not plugged in; waiting for it"
        case .watcher(let text): text
        }
    }
}

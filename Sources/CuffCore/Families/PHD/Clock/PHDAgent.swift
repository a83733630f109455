/// What the agent said of itself in this association, and how far the setting of its clock has come.
struct PHDAgent: Sendable {
    private enum Setting {
        case due, asked
        /// The clock was set, and the agent is asked for it once more.
        case readingBack
    }

    private(set) var facts: PHDDeviceFacts?
    private(set) var isAsked = false
    private var setting = Setting.due
    /// Since the command came: an agent associates when its user wants it.
    private(set) var elapsedSeconds: Int64 = 0

    var isReadingBack: Bool { setting == .readingBack }

    mutating func noteAsked() { isAsked = true }
    mutating func note(_ facts: PHDDeviceFacts) { self.facts = facts }

    /// Takes over what an event report of the agent itself has changed.
    mutating func update(_ changes: PHDDeviceFacts, device: String) {
        var all = facts ?? PHDDeviceFacts(device: device)
        all.update(changes)
        facts = all
    }

    mutating func countSeconds() { elapsedSeconds = 0 }

    /// Whether the clock is still to be set, so that seconds count.
    mutating func noteSecond() -> Bool {
        guard setting == .due else { return false }
        elapsedSeconds += 1
        return true
    }

    /// Whether to set the clock now, once in an association.
    mutating func beginSetting() -> Bool {
        defer { if setting == .due { setting = .asked } }
        return setting == .due
    }

    mutating func noteSet() { setting = .asked }
    mutating func readBack() { setting = .readingBack }
    /// The next association tries again.
    mutating func setAgain() { setting = .due }

    mutating func leave() {
        facts = nil
        isAsked = false
        if setting == .readingBack { setting = .asked }
    }
}

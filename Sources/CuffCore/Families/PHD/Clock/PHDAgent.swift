struct PHDAgent: Sendable {
    private enum Setting {
        case due, asked
        /// The clock was set and is read again.
        case readingBack
    }

    private(set) var facts: PHDDeviceFacts?
    private(set) var isAsked = false
    private var setting = Setting.due
    /// Since the command: an agent associates when its user wants it.
    private(set) var elapsedSeconds: Int64 = 0

    var isReadingBack: Bool { setting == .readingBack }

    mutating func noteAsked() { isAsked = true }
    mutating func note(_ facts: PHDDeviceFacts) { self.facts = facts }

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

    mutating func beginSetting() -> Bool {
        defer { if setting == .due { setting = .asked } }
        return setting == .due
    }

    mutating func noteSet() { setting = .asked }
    mutating func readBack() { setting = .readingBack }
    mutating func setAgain() { setting = .due }

    mutating func leave() {
        facts = nil
        isAsked = false
        if setting == .readingBack { setting = .asked }
    }
}

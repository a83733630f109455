struct PHDCommand: Sendable {
    enum Goal: Sendable, Hashable {
        case follow
        case memory(user: Int?)
        case information, clock
        case setClock(DeviceTime)
        case clear(user: Int?)
    }

    enum Role: Sendable {
        /// No command yet: nothing is written.
        case waiting
        case manager
        /// Another manager holds the conversation; this session only follows it.
        case observer
    }

    private(set) var goal = Goal.follow
    private(set) var role = Role.waiting
    /// The command can be completed. Cached, because it is needed for every report.
    private(set) var hasEnd = false
    private(set) var isEnding = false
    var outcome: Outcome?

    var isPassive: Bool { role != .manager }
    var isObserver: Bool { role == .observer }
    /// A command that can be completed, in a conversation of our own.
    @inline(__always)
    var isStriving: Bool { hasEnd && role == .manager }

    var wantsStores: Bool {
        switch goal {
        case .follow, .memory, .clear: true
        case .information, .clock, .setClock: false
        }
    }

    var user: Int? {
        switch goal {
        case .memory(let user), .clear(let user): user
        default: nil
        }
    }

    mutating func begin(_ goal: Goal) {
        self.goal = goal
        hasEnd = goal != .follow
    }

    mutating func act() { if role == .waiting { role = .manager } }
    mutating func observe() { role = .observer }
    mutating func end() { isEnding = true }
}

/// Replays the cuff's side of a recorded conversation to a live host. For bytes of the recorded host it waits for any bytes, with a
/// time-out. At the end it is silent, or disconnects after `! unplugged`. It restarts each time it is opened.
package struct CaptureSimulator: CuffSimulator {
    /// Longer than any request takes.
    static let patience = Duration.seconds(4)
    /// Bytes that the host sends together arrive within this time.
    static let burst = Duration.milliseconds(30)
    /// Longer than any session waits within a frame.
    static let silence = Duration.seconds(5)

    private let lines: [CaptureItem.Content]
    private var place = 0
    private var isWaiting = false

    /// Replays these items, ignoring their times.
    package init(_ items: [CaptureItem]) { lines = items.map(\.content) }

    /// Returns what the recorded cuff did next.
    package mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened:
            place = 0
            return play()
        case .received, .receivedFeature:
            guard isWaiting else { return [] }
            return [.arm(.poll, Self.burst)]
        case .timerFired: return play()
        case .closed:
            isWaiting = false
            return [.disarm(.poll)]
        }
    }

    private mutating func play() -> [SimulatorAction] {
        var actions: [SimulatorAction] = []
        if isWaiting {
            isWaiting = false
            while place < lines.count, case .toCuff = lines[place] { place += 1 }
        }
        while place < lines.count {
            switch lines[place] {
            case .fromCuff(let bytes): actions.append(.write(bytes))
            case .toCuff:
                isWaiting = true
                return actions + [.arm(.poll, Self.patience)]
            case .event(.silence):
                place += 1
                return actions + [.arm(.poll, Self.silence)]
            case .event(.unplugged): return actions + [.finish]
            case .event: break
            }
            place += 1
        }
        return actions + [.note("the capture is over")]
    }
}

/// The cuff's side of a recorded conversation, spoken again to whoever listens now.
///
/// Where the recording shows the host speaking it waits for the host, for whatever it says, but not for ever; what the
/// host says is not judged, and answers stay the recorded ones. After the last line it is silent, or gone where the
/// recording ends with `! unplugged`. It begins anew each time it is opened.
public struct CaptureSimulator: CuffSimulator {
    /// How long it waits for a host that says nothing: longer than a request may take, and short of a bored person.
    static let patience = Duration.seconds(4)
    /// What a host says in one breath has come by then.
    static let breath = Duration.milliseconds(30)
    /// Longer than any session waits within a frame.
    static let silence = Duration.seconds(5)

    private let lines: [CaptureItem.Content]
    private var place = 0
    private var isWaiting = false

    /// Plays these items; their times are ignored.
    public init(_ items: [CaptureItem]) { lines = items.map(\.content) }

    /// Answers one event of the host's side with what the recorded cuff did next.
    public mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        switch event {
        case .opened:
            place = 0
            return speak()
        case .received, .receivedFeature:
            guard isWaiting else { return [] }
            return [.arm(.poll, Self.breath)]
        case .timerFired: return speak()
        case .closed:
            isWaiting = false
            return [.disarm(.poll)]
        }
    }

    private mutating func speak() -> [SimulatorAction] {
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

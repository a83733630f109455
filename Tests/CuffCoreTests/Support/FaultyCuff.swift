import CuffCore

/// A simulated cuff behind a line with one fault: one byte of one direction is lost, doubled or changed; of HID, a report is lost or doubled.
struct FaultyCuff: CuffSimulator {
    enum Fault: CaseIterable, Sendable { case lost, doubled, changed }

    private(set) var cuff: any CuffSimulator
    private let fault: Fault
    private let isFromCuff: Bool
    private let isReports: Bool
    private let place: Int
    /// Bytes or reports of the direction so far.
    private(set) var seen = 0

    /// Without a `place`, nothing is damaged.
    init(_ driver: CuffDriver, _ script: SimulatorScript, _ fault: Fault, isFromCuff: Bool, place: Int = .max) {
        cuff = driver.makeSimulator(script)
        isReports = driver.medium == .hidraw
        (self.fault, self.isFromCuff, self.place) = (fault, isFromCuff, place)
    }

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        var events = [event]
        if case .received(let bytes) = event, !isFromCuff { events = pass(bytes).map { .received($0) } }
        return events.flatMap { cuff.handle($0) }.flatMap { action -> [SimulatorAction] in
            if case .write(let bytes) = action, isFromCuff { pass(bytes).map { .write($0) } } else { [action] }
        }
    }

    private mutating func pass(_ bytes: [UInt8]) -> [[UInt8]] {
        let first = seen
        seen += isReports ? 1 : bytes.count
        guard first..<seen ~= place else { return [bytes] }
        if isReports, fault != .changed { return fault == .lost ? [] : [bytes, bytes] }
        let index = isReports ? bytes.count / 2 : place - first
        switch fault {
        case .lost: return [Array(bytes[..<index] + bytes[(index + 1)...])].filter { !$0.isEmpty }
        case .doubled: return [Array(bytes[...index] + bytes[index...])]
        case .changed:
            var changed = bytes
            changed[index] ^= 1 << UInt8(place % 8)
            return [changed]
        }
    }
}

extension CuffDriver {
    /// Runs a command with each single fault of each direction.
    func withEachFault(
        _ command: SessionCommand, _ script: SimulatorScript, _ faults: [FaultyCuff.Fault] = FaultyCuff.Fault.allCases,
        closesAfter: Duration? = nil, _ body: (Conversation, any CuffSimulator, String) -> Void
    ) {
        for isFromCuff in [true, false] {
            for fault in faults {
                func talk(_ place: Int) -> (talk: Conversation, cuff: FaultyCuff?) {
                    var driver = self
                    driver.makeSimulator = { FaultyCuff(self, $0, fault, isFromCuff: isFromCuff, place: place) }
                    let talk = Conversation(
                        driver, command, script: script, context: SessionContext(options: script.options), closesAfter: closesAfter)
                    return (talk, talk.simulator as? FaultyCuff)
                }
                for place in 0..<(talk(.max).cuff?.seen ?? 0) {
                    let (talk, faulty) = talk(place)
                    guard let faulty else { continue }
                    body(talk, faulty.cuff, "\(command): \(fault) \(place) \(isFromCuff ? "from" : "to") the cuff")
                }
            }
        }
    }
}

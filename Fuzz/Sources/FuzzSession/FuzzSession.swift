import CuffCore
import FuzzMain

/// Drives any session with any order of events. The first byte chooses the driver; then each event is one byte of kind
/// and its data: bytes from the cuff, bytes sent, timers, commits, commands, the end. Whatever comes, nothing may trap,
/// no buffer may grow without bound, and no id may be emitted that a sink could not keep.
@_cdecl("FuzzSession_main")
public func fuzzSessionMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    runFuzzer(count, arguments) { start, count in
        guard let start, count > 1 else { return 0 }
        let input = Array(UnsafeBufferPointer(start: start, count: count))
        let driver = CuffFamilies.all[Int(input[0]) % CuffFamilies.all.count]
        var session = driver.makeSession(SessionContext())
        var ledger = ReadingLedger(device: "", driver: driver.id)
        var actions = SessionActions()
        var emitted = 0
        var text = TextBuffer()
        var armed: [TimerID] = []
        /// Takes what the session wants done; answers what it writes.
        func take() -> [[UInt8]] {
            var writes: [[UInt8]] = []
            for action in actions {
                switch action {
                case .emit(var reading):
                    emitted += 1
                    _ = ledger.admit(&reading, received: nil)
                    ReadingLine(includesRaw: true).append(reading, device: "", to: &text)
                    if case .bloodPressure(let pressure) = reading.content, !pressure.isPlausible, !reading.flags.contains(.implausible) {
                        fatalError("an implausible reading is not flagged")
                    }
                case .write(let bytes), .writeFeature(let bytes):
                    if bytes.count > 8192 { fatalError("a write of \(bytes.count) bytes") }
                    writes.append(bytes)
                case .arm(let timer, _):
                    armed.removeAll { $0 == timer }
                    armed.append(timer)
                case .disarm(let timer): armed.removeAll { $0 == timer }
                default: break
                }
            }
            actions.removeAll()
            if text.count > 1 << 20 { text.removeAll() }
            return writes
        }
        session.handle(.opened, into: &actions)
        _ = take()
        var index = 1
        while index < input.count {
            let kind = input[index]
            index += 1
            let event: SessionEvent
            switch kind % 8 {
            case 0, 1, 2:
                let length = min(Int(kind / 8) + 1, input.count - index)
                event = .received(Array(input[index..<index + length]))
                index += length
            case 3:
                let length = min(Int(kind / 8) + 1, input.count - index)
                event = .sent(Array(input[index..<index + length]))
                index += length
            // One that is armed; where none is, one that no session has.
            case 4: event = .timerFired(armed.isEmpty ? TimerID(rawValue: kind / 8) : armed.remove(at: Int(kind / 8) % armed.count))
            case 5: event = .committed(through: emitted - Int(kind / 8 % 2))
            case 6: event = .command(command(kind / 8))
            default: event = kind == 0xFF ? .closed : .received([])
            }
            session.handle(event, into: &actions)
            for reply in take().prefix(8) {
                session.handle(.sent(reply), into: &actions)
                _ = take()
            }
        }
        session.handle(.closed, into: &actions)
        return 0
    }
}

private func command(_ number: UInt8) -> SessionCommand {
    switch number % 9 {
    case 0: .follow
    case 1: .readMemory(user: nil)
    case 2: .readMemory(user: 1)
    case 3: .measure
    case 4: .stop
    case 5: .readClock
    case 6: .setClock(DeviceTime(year: 2026, month: 5, day: 5))
    case 7: .information
    default: .clear(user: nil)
    }
}

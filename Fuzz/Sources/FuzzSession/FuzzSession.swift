@testable import CuffCore
import FuzzMain
import Glibc

/// Drives the link of any family with any order of events. The first byte chooses the driver; then each event is one byte of
/// kind and its data: bytes from the cuff, bytes sent, time, commits, commands, the end. Whatever comes, nothing may trap, no
/// buffer may grow without bound, an implausible reading is flagged, and a link ends once.
@_cdecl("FuzzSession_main")
public func fuzzSessionMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    runFuzzer(count, arguments) { start, count in
        guard let start, count > 1 else { return 0 }
        let input = Array(UnsafeBufferPointer(start: start, count: count))
        let driver = fuzzedDrivers[Int(input[0]) % fuzzedDrivers.count]
        var link = FuzzedLink(driver)
        link.handle(.transport(.opened))
        var index = 1
        while index < input.count {
            let kind = input[index]
            index += 1
            switch kind % 8 {
            case 0, 1, 2:
                let length = min(Int(kind / 8) + 1, input.count - index)
                link.handle(.transport(.received(Array(input[index..<index + length]))))
                index += length
            case 3:
                let length = min(Int(kind / 8) + 1, input.count - index)
                link.handle(.transport(.sent(Array(input[index..<index + length]))))
                index += length
            case 4: link.passTime()
            case 5: link.handle(.committed(through: link.state.emitted - Int(kind / 8 % 2)))
            case 6: link.handle(event(kind / 8))
            default: link.handle(kind == 0xFF ? .transport(.closed(nil)) : .transport(.received([])))
            }
        }
        link.handle(.transport(.closed(nil)))
        if !link.state.isEnded { fatalError("a closed link continues") }
        return 0
    }
}

private struct FuzzedLink {
    var state: LinkState
    private var now = Duration.zero
    private var effects: [LinkEffect] = []
    private var ends = 0

    init(_ driver: CuffDriver) {
        var setup = LinkState.Setup(driver)
        setup.zone = .utc
        state = LinkState(setup)
    }

    /// To the next deadline, or by a second.
    mutating func passTime() {
        now = max(now, state.deadline ?? now + .seconds(1))
        handle(.timePassed)
    }

    mutating func handle(_ event: LinkEvent) {
        let wall = Timestamp(milliseconds: 1_778_000_000_000 + now.components.seconds * 1000)
        var events = [event]
        // Each write completes at once, up to a limit.
        var answered = 0
        while !events.isEmpty {
            state.handle(events.removeFirst(), at: LinkTime(elapsed: now, wall: wall), into: &effects)
            state.flush(into: &effects)
            for effect in effects {
                switch effect {
                case .write(let bytes), .writeFeature(let bytes):
                    if bytes.count > 8192 { fatalError("a write of \(bytes.count) bytes") }
                    answered += 1
                    if answered <= 8 { events.append(.transport(.sent(bytes))) }
                case .submit(let batch): check(batch)
                case .notify(.ended):
                    ends += 1
                    if ends > 1 { fatalError("a link ended twice") }
                default: break
                }
            }
            effects.removeAll(keepingCapacity: true)
        }
    }

    private func check(_ batch: ReadingBatch) {
        var text = TextBuffer()
        for entry in batch.entries {
            ReadingLine(includesRaw: true).append(entry, device: batch.device, to: &text)
            text.removeAll()
            guard case .reading(let reading) = entry, let pressure = reading.bloodPressure else { continue }
            if !pressure.isPlausible, !reading.flags.contains(.implausible) { fatalError("an implausible reading is not flagged") }
        }
    }
}

private func event(_ number: UInt8) -> LinkEvent {
    switch number % 13 {
    case 0: .command(.follow)
    case 1: .command(.readMemory(user: nil))
    case 2: .command(.readMemory(user: 1))
    case 3: .measureNow(.manual)
    case 4: .command(.stop)
    case 5: .command(.readClock)
    case 6: .command(.setClock(DeviceTime(year: 2026, month: 5, day: 5)))
    case 7: .command(.information)
    case 8: .stopMeasurement
    case 9: .stop(within: .seconds(4))
    case 10: .sinksFull(true)
    case 11: .sinksFull(false)
    default: .command(.clear(user: nil))
    }
}

/// All drivers, or those that CUFF_FUZZ_DRIVERS names with commas between.
private let fuzzedDrivers: [CuffDriver] = {
    guard let words = getenv("CUFF_FUZZ_DRIVERS").map({ String(cString: $0).split(separator: ",") }) else { return CuffFamilies.all }
    let chosen = CuffFamilies.all.filter { driver in words.contains { $0 == driver.id.description } }
    return chosen.isEmpty ? CuffFamilies.all : chosen
}()

@testable import CuffCore
import FuzzMain
import Glibc

/// The same bytes through every driver's session, whole and cut by a length drawn from the input: both must say the same,
/// unless the session has sent a request. Then the bytes received before it determine what counts as a response.
@_cdecl("FuzzFrames_main")
public func fuzzFramesMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    runFuzzer(count, arguments) { start, count in
        guard let start, count > 2 else { return 0 }
        let input = Array(UnsafeBufferPointer(start: start, count: count))
        let driver = fuzzedDrivers[Int(input[0]) % fuzzedDrivers.count]
        let size = Int(input[1]) % 32 + 1
        let bytes = Array(input.dropFirst(2))
        _ = driver.findFrames?(bytes)
        guard driver.medium == .tty else { return 0 }
        let whole = play(driver, [bytes])
        let cut = play(driver, stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) })
        if !whole.hasWritten, !cut.hasWritten, whole.lines != cut.lines {
            fatalError("\(driver.id) cut every \(size):\n\(cut.lines)\nwhole:\n\(whole.lines)")
        }
        return 0
    }
}

private func play(_ driver: CuffDriver, _ chunks: [[UInt8]]) -> (lines: String, hasWritten: Bool) {
    var player = Replay(LinkState.Setup(driver), looksAhead: false, keepsWrites: true)
    for chunk in chunks { player.play(bytes: chunk) }
    player.end()
    var text = TextBuffer()
    player.flush()
    for case .submit(let batch) in player.effects {
        for entry in batch.entries { ReadingLine(includesRaw: true).append(entry, device: "", to: &text) }
    }
    return (text.string, !player.writes.isEmpty)
}

/// All drivers, or those that CUFF_FUZZ_DRIVERS names with commas between.
private let fuzzedDrivers: [CuffDriver] = {
    guard let words = getenv("CUFF_FUZZ_DRIVERS").map({ String(cString: $0).split(separator: ",") }) else { return CuffFamilies.all }
    let chosen = CuffFamilies.all.filter { driver in words.contains { $0 == driver.id.description } }
    return chosen.isEmpty ? CuffFamilies.all : chosen
}()

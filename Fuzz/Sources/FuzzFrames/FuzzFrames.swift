import CuffCore
import FuzzMain

/// The same bytes through every driver's session, whole and cut by a length drawn from the input: both must say the same.
@_cdecl("FuzzFrames_main")
public func fuzzFramesMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    runFuzzer(count, arguments) { start, count in
        guard let start, count > 2 else { return 0 }
        let input = Array(UnsafeBufferPointer(start: start, count: count))
        let driver = CuffDrivers.all[Int(input[0]) % CuffDrivers.all.count]
        let size = Int(input[1]) % 32 + 1
        let bytes = Array(input.dropFirst(2))
        _ = driver.countFrames?(bytes)
        guard driver.medium == .tty else { return 0 }
        let whole = lines(driver, [bytes])
        let cut = lines(driver, stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) })
        if whole != cut { fatalError("\(driver.id) cut every \(size):\n\(cut)\nwhole:\n\(whole)") }
        return 0
    }
}

private func lines(_ driver: CuffDriver, _ chunks: [[UInt8]]) -> String {
    var player = SessionPlayer(driver, looksAhead: false)
    for chunk in chunks { player.play(bytes: chunk) }
    player.end()
    var text = TextBuffer()
    for entry in player.entries { ReadingLine(includesRaw: true).append(entry, device: "", to: &text) }
    return text.string
}

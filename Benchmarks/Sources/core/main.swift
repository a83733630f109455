import CuffCore
import Glibc

/// core count|lines|capture|pcapng DRIVER FILE: bytes through the session alone. `count` makes readings and prints how many,
/// `lines` prints them as JSON Lines, `capture` does so for a text capture and `pcapng` for one of that form.
func run() -> Int32 {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let driver = CuffFamilies.named(arguments[2]) else { return 64 }
    let file = open(arguments[3], O_RDONLY)
    guard file >= 0 else { return 66 }
    let isText = arguments[1] == "capture"
    let isCapture = isText || arguments[1] == "pcapng"
    let line = ReadingLine()
    var player = Replay(LinkState.Setup(driver), looksAhead: isCapture)
    var text = CaptureTextReader()
    var packets = PcapngReader()
    var output = TextBuffer(capacity: 1 << 19)
    var readings = 0
    var systolic: Int64 = 0
    while true {
        let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { room, count in
            count = max(0, read(file, room.baseAddress, 1 << 16))
        }
        if chunk.isEmpty { break }
        if isCapture {
            if isText { text.feed(chunk) } else { packets.feed(chunk) }
            do throws(CaptureFault) {
                if isText {
                    try text.forEach { item in
                        player.play(item)
                        return true
                    }
                } else {
                    if player.start == nil, let first = try packets.next() {
                        player.start = packets.start
                        player.play(first)
                    }
                    try packets.forEach { item in
                        player.play(item)
                        return true
                    }
                }
            } catch { return 65 }
        } else {
            player.play(bytes: chunk)
        }
        player.flush()
        for case .submit(let batch) in player.effects {
            readings += batch.entries.readings.count
            if arguments[1] == "count" {
                for index in batch.entries.readings.indices {
                    systolic += batch.entries.readings[index].bloodPressure?.systolic.digits.mantissa ?? 0
                }
            } else {
                line.append(batch.entries, device: batch.device, to: &output)
                output.withBytes { bytes in _ = write(1, bytes.baseAddress, bytes.count) }
                output.removeAll()
            }
        }
        player.effects.removeAll(keepingCapacity: true)
    }
    player.end()
    if arguments[1] == "count" { print("\(readings) readings, systolic sum \(systolic)") }
    return 0
}
exit(run())

@testable import CuffCore
import FuzzMain

/// The text capture reader: any bytes, cut anywhere, are items or a fault with a line number; what it read it can write
/// and read again.
@_cdecl("FuzzCapture_main")
public func fuzzCaptureMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    runFuzzer(count, arguments) { start, count in
        guard let start, count > 1 else { return 0 }
        let input = Array(UnsafeBufferPointer(start: start, count: count))
        let size = Int(input[0]) + 1
        let bytes = Array(input.dropFirst())
        guard let whole = read([bytes]) else { return 0 }
        let cut = read(stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) })
        if cut != whole { fatalError("cutting changed what was read") }
        var text = TextBuffer()
        for item in whole {
            if case .event = item.content { continue }
            CaptureText.append(item, to: &text)
        }
        let again = read([text.array])
        let plain = whole.filter { if case .event = $0.content { false } else { true } }
        if again != plain { fatalError("what was written does not read the same") }
        return 0
    }
}

private func read(_ chunks: [[UInt8]]) -> [CaptureItem]? {
    var reader = CaptureTextReader()
    var items: [CaptureItem] = []
    do throws(CaptureFault) {
        for chunk in chunks { try reader.read(chunk, into: &items) }
        try reader.finish(into: &items)
        return items
    } catch {
        if error.line < 1 { fatalError("a fault without a line") }
        return nil
    }
}

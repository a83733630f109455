@testable import CuffCore
import FuzzMain

/// The pcapng reader: any bytes, cut anywhere, are the same items or the same fault; what it read it can write and read
/// again. The first byte is the length of the pieces.
@_cdecl("FuzzPcapng_main")
public func fuzzPcapngMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    runFuzzer(count, arguments) { start, count in
        guard let start, count > 1 else { return 0 }
        let input = Array(UnsafeBufferPointer(start: start, count: count))
        let size = Int(input[0]) + 1
        let bytes = Array(input.dropFirst())
        let whole = read([bytes])
        let cut = read(stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) })
        if cut.items != whole.items || cut.fault != whole.fault { fatalError("cutting every \(size) changed what was read") }
        guard whole.fault == nil else { return 0 }
        let plain = whole.items.filter { if case .event = $0.content { false } else { true } }
        var writer = PcapngWriter()
        var written = writer.head(CaptureHeader())
        for item in plain { writer.append(item, to: &written) }
        let again = read([written])
        if again.fault != nil || again.items.map(\.content) != plain.map(\.content) {
            fatalError("what was written does not read the same")
        }
        return 0
    }
}

private func read(_ chunks: [[UInt8]]) -> (items: [CaptureItem], fault: CaptureFault?) {
    var reader = PcapngReader()
    var items: [CaptureItem] = []
    do throws(CaptureFault) {
        for chunk in chunks { try reader.read(chunk, into: &items) }
        try reader.finish()
        return (items, nil)
    } catch {
        if error.line < 1 { fatalError("a fault without a block") }
        return (items, error)
    }
}

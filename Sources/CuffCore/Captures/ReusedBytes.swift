/// Reuses the arrays of a capture's packets, one for each side: that of the packet before, where it was given back, is no
/// longer referenced and has the same length. Most cuffs send frames of one length. Worth 13 % of the instructions of a replayed
/// text capture; the plain form copies with `Array(span)`.
struct ReusedBytes: Sendable {
    private var fromCuff: [UInt8]?
    private var toCuff: [UInt8]?

    /// These bytes as what the cuff sent.
    @inline(__always)
    mutating func fromCuff(_ source: Span<UInt8>) -> CaptureItem.Content { .fromCuff(Self.filled(fromCuff.take(), source)) }

    /// These bytes as what was sent to the cuff.
    @inline(__always)
    mutating func toCuff(_ source: Span<UInt8>) -> CaptureItem.Content { .toCuff(Self.filled(toCuff.take(), source)) }

    /// Takes back the array of an item.
    @inline(__always)
    mutating func reuse(_ item: consuming CaptureItem) {
        switch item.content {
        case .fromCuff(let bytes): fromCuff = bytes
        case .toCuff(let bytes): toCuff = bytes
        case .event: break
        }
    }

    @inline(__always)
    private static func filled(_ spare: consuming [UInt8]?, _ source: Span<UInt8>) -> [UInt8] {
        guard var bytes = spare.take(), bytes.count == source.count else {
            return source.withUnsafeBufferPointer { Array($0) }
        }
        bytes.withUnsafeMutableBufferPointer { room in
            source.withUnsafeBufferPointer { source in
                guard let from = source.baseAddress else { return }
                room.baseAddress?.update(from: from, count: source.count)
            }
        }
        return bytes
    }
}

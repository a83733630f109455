/// Reuses one array for the packets of a capture: that of the packet before, where it was given back, is no longer referenced
/// and has the same length. Most cuffs send frames of one length.
struct ReusedBytes: Sendable {
    private var spare: [UInt8]?

    /// An array with these bytes; it is the caller's own, as any array is.
    @inline(__always)
    mutating func filled(_ source: Span<UInt8>) -> [UInt8] {
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

    /// Takes back what `filled` gave.
    @inline(__always)
    mutating func reuse(_ bytes: consuming [UInt8]) { spare = bytes }
}

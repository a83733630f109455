/// Reuses one array for the packets of a capture: the array of the packet before, where it is no longer referenced
/// and has the same length. Most cuffs send frames of one length.
struct ReusedBytes: Sendable {
    private var bytes: [UInt8] = []

    /// An array with these bytes; it is the caller's own, as any array is.
    @inline(__always)
    mutating func filled(_ source: Span<UInt8>) -> [UInt8] {
        if bytes.count == source.count {
            bytes.withUnsafeMutableBufferPointer { room in
                source.withUnsafeBufferPointer { source in
                    guard let from = source.baseAddress else { return }
                    room.baseAddress?.update(from: from, count: source.count)
                }
            }
        } else {
            bytes = source.withUnsafeBufferPointer { Array($0) }
        }
        return bytes
    }
}

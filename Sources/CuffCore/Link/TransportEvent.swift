/// What a transport reports, in the order in which it happened.
public enum TransportEvent: Sendable {
    /// Bytes can be written from now on.
    case opened
    /// Bytes from the cuff, in any chunking. For HID: one report.
    case received([UInt8])
    /// Bytes that went to the cuff: one write, once the kernel has the whole of it.
    case sent([UInt8])
    /// Damage on the line that the hardware counted.
    case line(CaptureEvent)
    /// The transport ended; nothing follows. `nil` where this side closed it, or the other side did in order.
    case closed((any Error)?)
}

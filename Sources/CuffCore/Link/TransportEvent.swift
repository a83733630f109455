/// An event of a transport, in order of occurrence.
public enum TransportEvent: Sendable {
    case opened
    /// Bytes from the cuff, in any chunking; for HID, one report.
    case received([UInt8])
    /// One write that the kernel has accepted entirely.
    case sent([UInt8])
    /// Line damage detected by the hardware.
    case line(CaptureEvent)
    /// The transport ended; nothing follows. `nil` after an orderly close by either side.
    case closed((any Error)?)
}

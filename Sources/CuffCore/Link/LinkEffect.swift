/// An action to perform for a link. Effects are performed in order.
public enum LinkEffect: Sendable {
    case write([UInt8])
    case writeFeature([UInt8])
    /// Stop reading from the cuff until `resumeReading`.
    case pauseReading
    case resumeReading
    indirect case submit(ReadingBatch)
    /// Store this for later links with any cuff of this driver (`LinkState.Setup.memory`).
    case remember(key: String, value: [UInt8])
    /// Store this for the next link with this cuff before further effects; `durably`: it must survive a power failure.
    case persist(OutstandingRecords, device: String, durably: Bool)
    /// Report this to the link's owner.
    case notify(LinkNotice)
    case close

    var written: [UInt8]? {
        switch self {
        case .write(let bytes), .writeFeature(let bytes): bytes
        case .pauseReading, .resumeReading, .submit, .remember, .persist, .notify, .close: nil
        }
    }
}

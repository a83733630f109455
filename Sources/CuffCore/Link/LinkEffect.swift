/// What is to be done for a link, in this order.
public enum LinkEffect: Sendable {
    /// Write these bytes to the cuff.
    case write([UInt8])
    /// Write a HID feature report.
    case writeFeature([UInt8])
    /// Read nothing more from the cuff until `resumeReading`.
    case pauseReading
    case resumeReading
    /// Pass this batch to the sinks.
    indirect case submit(Batch)
    /// Store this for later links with any cuff of this driver (`LinkState.Setup.memory`).
    case remember(key: String, value: [UInt8])
    /// Store this for the next link with this cuff, before the effects that follow: with `durably` so that it survives a
    /// power failure, otherwise so that it survives this process.
    case persist(OutstandingRecords, device: String, durably: Bool)
    /// Report this to the owner of the link.
    case notify(LinkNotice)
    /// Close the transport. The link is over.
    case close

    /// The bytes that this effect writes to the cuff.
    var written: [UInt8]? {
        switch self {
        case .write(let bytes), .writeFeature(let bytes): bytes
        case .pauseReading, .resumeReading, .submit, .remember, .persist, .notify, .close: nil
        }
    }
}

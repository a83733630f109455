import CuffCore

/// Moves bytes to and from one device and reports its end; it knows no protocol. It lives on the loop: calls and events
/// happen there, except `open`.
public protocol Transport: AnyObject {
    /// What it leads to, as a person would name it, e.g. `/dev/ttyUSB0`.
    var address: String { get }
    /// Whether something below this program notices damaged bytes, as USB and TCP do and a serial line does not. Readings of a
    /// protocol that leaves its check to the transport get the flag `no_measurement_check` where this is false.
    var checksBytes: Bool { get }
    /// Opens the device. It may block, and is called once, on a worker, before `start`.
    func open() throws(IngestError)
    /// Begins, after `open`. Events follow from `opened` on until `closed`, which is always the last one. Its error is a
    /// `TransportFault`, or an error of a transport of the embedding program.
    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError)
    /// Writes the bytes in order; `TransportEvent.sent` follows when the kernel has all of them.
    func write(_ bytes: [UInt8])
    /// A HID feature report. A medium that has none answers with `closed` and a fault.
    func writeFeature(_ bytes: [UInt8])
    /// Reads nothing more until `resume`: what comes waits in the kernel, then in the cuff.
    func pause()
    func resume()
    /// Ends it; `closed` follows once the device is closed. Calling it again does nothing.
    func close()
}

extension Transport {
    /// Something does, unless the transport says otherwise.
    public var checksBytes: Bool { true }
}

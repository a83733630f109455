import CuffCore

/// Exchanges bytes with one device and reports its end; independent of protocols. All calls except `open`, and all events, are on
/// the loop.
package protocol Transport: AnyObject {
    /// The location as the user names it, such as `/dev/ttyUSB0`.
    var address: String { get }
    /// Whether a lower layer detects damaged bytes, as USB and TCP do and a serial line does not. If false, readings of protocols
    /// that rely on the transport's check get the flag `no_measurement_check`.
    var checksBytes: Bool { get }
    /// May block; called once, on a worker, before `start`.
    func open() throws(IngestError)
    /// Delivers events on the loop, `opened` first and `closed` last. The error of `closed` is a `TransportFault`, or an
    /// embedding program's own.
    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError)
    /// Writes the bytes in order; `TransportEvent.sent` follows when the kernel has accepted all of them.
    func write(_ bytes: [UInt8])
    /// Writes a HID feature report. Other media end with `closed` and a fault.
    func writeFeature(_ bytes: [UInt8])
    /// Stops reading until `resume`: input is queued in the kernel, then in the cuff.
    func pause()
    func resume()
    /// `closed` follows once the device is closed. Further calls do nothing.
    func close()
}

extension Transport {
    /// `true`.
    package var checksBytes: Bool { true }
}

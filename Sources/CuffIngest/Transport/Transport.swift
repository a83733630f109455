import CuffCore
import Glibc

/// Moves bytes to and from one device and reports its end; it knows no protocol. Not thread-safe: everything happens on
/// the queue given to `start`, calls and events alike. A transport whose calls may block begins with
/// `queue.neverInPlace()`.
public protocol Transport: AnyObject {
    /// What it leads to, as a person would name it, e.g. `/dev/ttyUSB0`.
    var address: String { get }
    /// Opens the device. Events follow until `closed`, which is always the last one.
    func start(on queue: CuffQueue, deliver: @escaping @Sendable (TransportEvent) -> Void) throws(IngestError)
    /// Hands over bytes to be written in order; `TransportEvent.sent` tells when the kernel has all of them.
    func write(_ bytes: [UInt8])
    /// A HID feature report; other media have none and answer with a fault. `TransportEvent.sent` follows where there is none.
    func writeFeature(_ bytes: [UInt8]) -> TransportFault?
    /// Reads nothing more until `resume`: what comes waits in the kernel, then in the cuff.
    func pause()
    func resume()
    /// Ends at once; `closed` follows. Calling it again does nothing.
    func close()
}

public enum TransportEvent: Sendable {
    case received([UInt8])
    case sent([UInt8])
    /// Damage on the line that the hardware counted.
    case line(CaptureEvent)
    /// `nil` when this side closed, or the other side ended in order.
    case closed(TransportFault?)
}

public enum TransportFault: Error, Equatable, Sendable {
    /// The device is gone.
    case unplugged
    case failed(call: String, errno: Int32)

    public var sentence: String {
        switch self {
        case .unplugged: "the device was unplugged"
        case .failed(let call, let number): "\(call): \(IngestError.lowercased(number))"
        }
    }
}

extension TransportFault {
    /// What to say of a connection that never stood; `nil` for one that did.
    func neverOpened(_ address: String) -> IngestError? {
        guard case .failed("connect", let number) = self else { return nil }
        return IngestError(
            .unavailable, "cannot reach \(address)", why: IngestError.lowercased(number),
            cure: number == ECONNREFUSED ? "nothing listens on that port; start the program that serves the cuff" : "check host and port")
    }
}

extension Transport {
    public func writeFeature(_ bytes: [UInt8]) -> TransportFault? { .failed(call: "HIDIOCSFEATURE", errno: ENOTTY) }
}

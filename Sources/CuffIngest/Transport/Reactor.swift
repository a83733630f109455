import CLinux
import Dispatch
import Glibc

/// Tells ports when their descriptors are ready: one epoll set under one Dispatch source.
///
/// A Dispatch source per descriptor crashes libdispatch when several hang up at once
/// (swiftlang/swift-corelibs-libdispatch#949); this one source belongs to the epoll set, which never hangs up.
/// Every registration is one-shot: a port that does not ask again hears nothing more, and that is the back-pressure.
final class Reactor: @unchecked Sendable {
    static let shared = Reactor()

    struct Readiness: OptionSet, Sendable {
        let rawValue: UInt32
        static let input = Readiness(rawValue: clinux_epoll_in)
        static let output = Readiness(rawValue: clinux_epoll_out)
        /// Told even to a port that asked for nothing.
        static let hangup = Readiness(rawValue: clinux_epoll_hup)
        static let error = Readiness(rawValue: clinux_epoll_err)
    }

    private struct Registrations {
        var next: UInt64 = 0
        var handlers: [UInt64: @Sendable (Readiness) -> Void] = [:]
    }

    private static let batch = 64
    private let epoll: Int32
    private let queue = DispatchQueue(label: "cuff.reactor")
    private let source: any DispatchSourceRead
    private let registrations = Locked(Registrations())
    private let events = UnsafeMutablePointer<UInt32>.allocate(capacity: Reactor.batch)
    private let tokens = UnsafeMutablePointer<UInt64>.allocate(capacity: Reactor.batch)

    private init() {
        epoll = clinux_epoll_create()
        source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
        source.setEventHandler { @Sendable [unowned self] in self.take() }
        source.activate()
    }

    private func take() {
        let count = clinux_epoll_take(epoll, events, tokens, Int32(Reactor.batch))
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let handler = registrations.withLock { $0.handlers[tokens[index]] }
            handler?(Readiness(rawValue: events[index]))
        }
    }

    /// Registers a descriptor that is not armed yet. `handler` runs on the reactor's queue and must only hop.
    func add(_ descriptor: Int32, handler: @escaping @Sendable (Readiness) -> Void) throws(SystemFault) -> UInt64 {
        let token = registrations.withLock { registrations in
            registrations.next += 1
            registrations.handlers[registrations.next] = handler
            return registrations.next
        }
        let result = clinux_epoll_add(epoll, descriptor, clinux_epoll_oneshot, token)
        guard result >= 0 else {
            registrations.withLock { _ = $0.handlers.removeValue(forKey: token) }
            throw SystemFault("epoll_ctl", -result)
        }
        return token
    }

    /// Asks for the next readiness; with nothing in `interest`, for the hang-up alone.
    func arm(_ token: UInt64, _ descriptor: Int32, _ interest: Readiness) {
        _ = clinux_epoll_rearm(epoll, descriptor, interest.rawValue | clinux_epoll_oneshot, token)
    }

    /// To be called before the descriptor is closed, on the port's queue. Events under way find nobody.
    func remove(_ token: UInt64, _ descriptor: Int32) {
        registrations.withLock { _ = $0.handlers.removeValue(forKey: token) }
        _ = clinux_epoll_remove(epoll, descriptor)
    }
}

import CLinux
import Glibc

/// Tells ports when their descriptors are ready: one epoll set, and one thread that waits for it. What a handler does holds
/// up every other, so none may block.
///
/// Not Dispatch's sources: one for each descriptor crashes libdispatch when several hang up at once
/// (swiftlang/swift-corelibs-libdispatch#949), and one for the epoll set wakes two threads for every event.
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
    private let registrations = Locked(Registrations())
    private let events = UnsafeMutablePointer<UInt32>.allocate(capacity: Reactor.batch)
    private let tokens = UnsafeMutablePointer<UInt64>.allocate(capacity: Reactor.batch)

    private init() {
        epoll = clinux_epoll_create()
        // Without one, every registration fails and says why.
        guard epoll >= 0 else { return }
        pthread.detached { [unowned self] in
            // Signals are for the threads that listen for them.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            while true { take() }
        }
    }

    private func take() {
        let count = clinux_epoll_take(epoll, events, tokens, Int32(Reactor.batch))
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let handler = registrations.withLock { $0.handlers[tokens[index]] }
            handler?(Readiness(rawValue: events[index]))
        }
    }

    /// Registers a descriptor that is not armed yet. `handler` runs on the reactor's thread.
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

    /// Asks for the next readiness alone; with nothing in `interest`, for the hang-up.
    func arm(_ token: UInt64, _ descriptor: Int32, _ interest: Readiness) {
        _ = clinux_epoll_rearm(epoll, descriptor, interest.rawValue | clinux_epoll_oneshot, token)
    }

    /// Asks for every change to readiness from now on, beginning with what is ready already. Whoever is told must read or
    /// write until the kernel has no more, or ask again.
    func keep(_ token: UInt64, _ descriptor: Int32, _ interest: Readiness) {
        _ = clinux_epoll_rearm(epoll, descriptor, interest.rawValue | clinux_epoll_edge, token)
    }

    /// To be called before the descriptor is closed, on the port's queue. Events under way find nobody.
    func remove(_ token: UInt64, _ descriptor: Int32) {
        registrations.withLock { _ = $0.handlers.removeValue(forKey: token) }
        _ = clinux_epoll_remove(epoll, descriptor)
    }
}

import Dispatch
import Glibc

/// A few threads for blocking calls: opening and closing devices, some ioctls, files, name resolution. Started on demand; their
/// number does not depend on the number of cuffs.
final class Workers: Sendable {
    /// Closing a serial port can block for 30 s (closing_wait), so one thread would delay the others. Two more are for the page, whose
    /// requests can read a whole database.
    private static let most = 5

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var threads = 0
        var idle = 0
    }

    private let state = Locked(State())
    private let available = DispatchSemaphore(value: 0)

    func run(_ work: @escaping @Sendable () -> Void) {
        let needsThread = state.withLock { state in
            state.waiting.append(work)
            guard state.idle < state.waiting.count, state.threads < Self.most else { return false }
            state.threads += 1
            return true
        }
        available.signal()
        if needsThread { DetachedThread.start { self.serve() } }
    }

    private func serve() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        while true {
            state.withLock { $0.idle += 1 }
            available.wait()
            let work = state.withLock { state in
                state.idle -= 1
                return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            }
            work?()
        }
    }
}

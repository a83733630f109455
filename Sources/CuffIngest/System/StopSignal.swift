import CLinux
import Dispatch
import Glibc

/// Asks a run to end cleanly: what was read is stored, then it returns. May be raised repeatedly from any thread.
package final class StopSignal: Sendable {
    private struct State {
        var isRaised = false
        var handlers: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Locked(State())
    /// Readable once raised, to wake a thread that waits for input.
    let descriptor: Int32
    private let listeners = Locked<[SignalListener]>([])

    package init() { descriptor = clinux_eventfd() }

    deinit { close(descriptor) }

    package var isRaised: Bool { state.withLock { $0.isRaised } }

    /// Calls the handlers; a second call does nothing.
    package func raise() {
        let handlers = state.withLock { state -> [@Sendable () -> Void] in
            guard !state.isRaised else { return [] }
            state.isRaised = true
            return Array(state.handlers.values)
        }
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
        for handler in handlers { handler() }
    }

    /// Calls `handler` when raised, at once if it already was. Returns a number for `forget`.
    @discardableResult
    package func whenRaised(_ handler: @escaping @Sendable () -> Void) -> Int {
        let (isRaised, number) = state.withLock { state in
            state.next += 1
            if !state.isRaised { state.handlers[state.next] = handler }
            return (state.isRaised, state.next)
        }
        if isRaised { handler() }
        return number
    }

    package func forget(_ number: Int) {
        state.withLock { _ = $0.handlers.removeValue(forKey: number) }
    }

    /// Raises it on these process signals. The second signal of a kind ends the process at once with status 128 + number.
    package func watch(signals: [Int32] = [SIGINT, SIGTERM]) {
        let queue = DispatchQueue(label: "cuff.signals")
        for number in signals {
            let listener = SignalListener(number, queue) { [weak self] in
                guard let self else { return }
                if self.isRaised { _exit(128 + number) }
                self.received.withLock { $0 = number }
                self.raise()
            }
            listeners.withLock { $0.append(listener) }
        }
    }

    private let received = Locked<Int32?>(nil)
    /// The process signal that raised it, if any.
    package var number: Int32? { received.withLock { $0 } }

    /// The status of a run that it ended before the work was done. A stop that the program raised itself, as after the last wanted
    /// reading, is no failure.
    var ending: RunStatus {
        switch number {
        case nil: .done
        case SIGTERM?: .terminated
        case _?: .interrupted
        }
    }

    /// `false` if the signal ended the sleep.
    func sleep(nanoseconds: Int64) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let until = HostClock.monotonic() + nanoseconds
        while true {
            let left = until - HostClock.monotonic()
            guard left > 0 else { return !isRaised }
            if poll(&entry, 1, Int32(clamping: (left + 999_999) / 1_000_000)) > 0 { return false }
        }
    }
}

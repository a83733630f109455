import Glibc

/// A value protected by a pthread mutex. Not `Synchronization.Mutex`, whose futex is invisible to ThreadSanitizer on Linux,
/// causing false reports.
final class Locked<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: consuming sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}

/// Blocks a thread until opened, such as the reader of a file while the sinks catch up. Must not be used on a queue.
final class Gate: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isOpen: Bool

    init(isOpen: Bool) {
        self.isOpen = isOpen
        pthread_mutex_init(mutex, nil)
        // The monotonic clock, so that setting the wall clock does not affect time limits.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func set(open: Bool) {
        pthread_mutex_lock(mutex)
        isOpen = open
        if open { pthread_cond_broadcast(condition) }
        pthread_mutex_unlock(mutex)
    }

    var isPassable: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return isOpen
    }

    func pass() {
        pthread_mutex_lock(mutex)
        while !isOpen { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }

    /// As `pass`, but calls `stop` if not open after `limit`; returns whether it did.
    func pass(within limit: Duration?, orElse stop: () -> Void) -> Bool {
        let isLate = limit.map { !pass(within: $0) } ?? false
        if isLate { stop() }
        pass()
        return isLate
    }

    /// As `pass`, with a time limit; returns whether it was open.
    func pass(within limit: Duration) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let parts = limit.components
        var until = timespec(
            tv_sec: now.tv_sec + Int(parts.seconds), tv_nsec: now.tv_nsec + Int(parts.attoseconds / 1_000_000_000))
        if until.tv_nsec >= 1_000_000_000 {
            until.tv_sec += 1
            until.tv_nsec -= 1_000_000_000
        }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isOpen {
            if pthread_cond_timedwait(condition, mutex, &until) == ETIMEDOUT { return isOpen }
        }
        return true
    }
}

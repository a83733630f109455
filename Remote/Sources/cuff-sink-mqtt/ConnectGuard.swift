import Glibc

/// libmosquitto blocks without a limit for name servers and TCP, about two minutes. `cuff` waits for one
/// minute, so an alarm sends an answer and ends the helper.
enum ConnectGuard {
    /// Prepared here, because a signal handler may only call write().
    nonisolated(unsafe) private static var answer = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

    static func begin(_ text: String, seconds: UInt32) {
        let bytes = Array(text.utf8)
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        answer.deallocate()
        answer = copy
        signal(SIGALRM) { _ in
            _ = write(1, ConnectGuard.answer.baseAddress, ConnectGuard.answer.count)
            _exit(75)
        }
        alarm(seconds)
    }

    static func end() { alarm(0) }
}

import Glibc

/// libmosquitto's connecting waits for name servers and for TCP without a limit of its own, some two minutes. `cuff` waits for one
/// minute. So an alarm ends the helper, with its answer.
enum ConnectGuard {
    /// Written by the signal's handler, which may do little.
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

import Glibc

/// Reports the state of the service to its manager (sd_notify(3)), if any.
struct ServiceNotifier: Sendable {
    private let socketPath: String?
    /// The interval of `WATCHDOG=1`; half of the limit, as recommended by the manual.
    let watchdogInterval: Duration?

    init() {
        self.init(
            socket: getenv("NOTIFY_SOCKET").map { String(cString: $0) },
            watchdog: getenv("WATCHDOG_USEC").map { String(cString: $0) },
            watchdogPid: getenv("WATCHDOG_PID").map { String(cString: $0) })
    }

    init(socket: String?, watchdog: String? = nil, watchdogPid: String? = nil) {
        socketPath = socket.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isOurs = watchdogPid == nil || watchdogPid == String(getpid())
        let limit = watchdog.flatMap { Int64($0) } ?? 0
        watchdogInterval = isOurs && limit > 0 ? .microseconds(limit / 2) : nil
    }

    var isListening: Bool { socketPath != nil }

    func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }
    func status(_ status: String) { send("STATUS=\(status)") }
    func watchdog() { send("WATCHDOG=1") }
    func stopping() { send("STOPPING=1\nSTATUS=storing readings") }
    func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(HostClock.monotonic() / 1000)") }

    private func send(_ message: String) {
        guard let socketPath else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(socketPath.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // An abstract name starts with NUL, written as `@`.
        if path.first == 0x40 { path[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}

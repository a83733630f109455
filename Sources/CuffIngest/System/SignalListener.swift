import Dispatch
import Glibc

/// Calls a handler for one signal on a queue until it is released. Several may listen for the same signal. Dispatch installs its signal
/// handler shortly after the call, and keeps it: until then the signal has its default effect, afterwards it never ends the process.
final class SignalListener: Sendable {
    private let source: Locked<any DispatchSourceSignal>

    init(_ number: Int32, _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { @Sendable in body() }
        source.activate()
        self.source = Locked(source)
    }

    func cancel() { source.withLock { $0.cancel() } }

    deinit { cancel() }
}

/// SIGHUP of a daemon: a log rotation, or its terminal was closed.
final class HangupSignal: Sendable {
    private let listener: SignalListener

    /// `reopen` is called for a SIGHUP that was sent; `gone` if the terminal hung up. If SIGHUP was ignored at the start (nohup),
    /// a closed terminal is not a request to stop.
    init(reopen: @escaping @Sendable () -> Void, gone: @escaping @Sendable () -> Void) {
        let hadTerminal = Self.hasTerminal && !Self.isIgnored
        listener = SignalListener(SIGHUP, DispatchQueue(label: "cuff.hangup")) {
            if hadTerminal && !Self.hasTerminal { gone() } else { reopen() }
        }
    }

    /// Before anything listens: whether the program was started with nohup(1).
    static var isIgnored: Bool {
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static var hasTerminal: Bool {
        guard let descriptor = try? Descriptor.open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK) else { return false }
        close(descriptor)
        return true
    }
}

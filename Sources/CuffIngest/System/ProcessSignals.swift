import Dispatch
import Glibc

/// What this process does about signals that are not a wish to stop.
enum ProcessSignals {
    /// A closed pipe and a file at its size limit are errors of write(2) here (EPIPE, EFBIG), not the end of the process.
    static func ignoreFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }
}

/// SIGHUP of a process that stays: somebody rotated its files, or its terminal went away.
final class HangupSignal: @unchecked Sendable {
    private let source: any DispatchSourceSignal

    /// `reopen` hears of a SIGHUP that was sent; `gone` hears that the terminal of this process hung up. Where SIGHUP was
    /// ignored from the beginning (nohup), a terminal that goes is nobody's wish.
    init(reopen: @escaping @Sendable () -> Void, gone: @escaping @Sendable () -> Void) {
        var before = sigaction()
        sigaction(SIGHUP, nil, &before)
        let hadTerminal = Self.hasTerminal && unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) != Self.ignored
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "cuff.hangup"))
        source.setEventHandler { @Sendable in
            if hadTerminal && !Self.hasTerminal { gone() } else { reopen() }
        }
        source.activate()
    }

    /// SIGHUP stays ignored: another one in this process may listen for it.
    deinit { source.cancel() }

    private static let ignored = unsafeBitCast(SIG_IGN, to: Int.self)

    /// Whether there is a controlling terminal that still answers.
    private static var hasTerminal: Bool {
        guard let descriptor = try? Descriptor.open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK) else { return false }
        close(descriptor)
        return true
    }
}

import Glibc

/// Detects that the reader of the output has closed it before anything is printed: a cuff must not keep measuring without a
/// reader. epoll reports an error of a pipe's writing end, or a hang-up, even without requested events.
final class OutputWatch: Sendable {
    private let watched: [(descriptor: Int32, token: UInt64)]

    /// `nil` if no output can lose its reader, as with files.
    init?(_ pipeline: Pipeline) {
        let outputs = pipeline.outputs
        watched = EventLoop.shared.sync { [weak pipeline] in
            var watched: [(descriptor: Int32, token: UInt64)] = []
            for output in outputs {
                // A duplicate, because an epoll set accepts each descriptor once, and this one may be watched twice.
                let descriptor = fcntl(output, F_DUPFD_CLOEXEC, 0)
                guard descriptor >= 0 else { continue }
                let token = try? EventLoop.shared.add(descriptor) { readiness in
                    guard !readiness.isDisjoint(with: [.hangup, .error]) else { return }
                    pipeline?.outputClosed()
                }
                guard let token else {
                    close(descriptor)
                    continue
                }
                EventLoop.shared.arm(token, descriptor, [])
                watched.append((descriptor, token))
            }
            return watched
        }
        if watched.isEmpty { return nil }
    }

    func cancel() {
        let watched = watched
        EventLoop.shared.async {
            for (descriptor, token) in watched {
                EventLoop.shared.remove(token, descriptor)
                close(descriptor)
            }
        }
    }
}

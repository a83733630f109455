import Glibc

/// Notices that the reader of the output has gone before there is anything to print: a cuff must not go on inflating for
/// nobody. The kernel tells an error of the writing end of a pipe, or a hang-up, to whoever waits for nothing else.
final class OutputWatch: Sendable {
    private let watched: [(descriptor: Int32, token: UInt64)]

    /// `nil` where no output can lose its reader: files cannot.
    init?(_ pipeline: Pipeline) {
        let outputs = pipeline.outputs
        watched = EventLoop.shared.sync { [weak pipeline] in
            var watched: [(descriptor: Int32, token: UInt64)] = []
            for output in outputs {
                // A descriptor of its own: an epoll set takes each one once, and this one may be watched twice.
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

    /// Once, at the end.
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

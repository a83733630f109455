import Glibc

package enum ProcessStart {
    /// Opens /dev/null for each closed standard descriptor. Otherwise the next file or socket opened would get its number and be
    /// used for input or output. The direction is such that using it still fails.
    package static func occupyStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // Gets this number, because all lower ones are in use.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// For the loop, a database with its log, one cuff and some sinks.
    private static let descriptors = 32

    /// Why too few files may be open for a run; `nil` if they are enough. Without this check, a run could wait for an event that
    /// nothing can report.
    package static func lackOfDescriptors() -> String? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < descriptors else { return nil }
        return "cannot start: the limit of open files (ulimit -n) is \(limit.rlim_cur), and \(descriptors) are needed"
    }

    /// Loop, workers, queues of sinks and signals.
    private static let threads = 8
    /// The heap of a run and the page cache of its database.
    private static let heap = 32 << 20
    /// The stack size with an "unlimited" limit (pthread_create(3)).
    private static let usualStack = 2 << 20

    /// Why the address space limit is too low for a run; `nil` if it is not. Without this check, creating a thread would be
    /// retried forever without a message.
    package static func lackOfMemory() -> String? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else { return nil }
        var stack = rlimit()
        let isStackKnown = getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &stack) == 0 && stack.rlim_cur < 1 << 40
        let need = threads * (isStackKnown ? Int(stack.rlim_cur) : usualStack) + heap
        let room = mmap(nil, need, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard room == MAP_FAILED else {
            munmap(room, need)
            return nil
        }
        return "cannot start: the limit of address space (ulimit -v) is \(limit.rlim_cur >> 20) MiB, and \(need >> 20) MiB more than the "
            + "program itself are needed"
    }
}

import Glibc

/// What a program looks at before everything else.
package enum ProcessStart {
    /// Opens /dev/null where one of the three standard descriptors is closed. Otherwise the first file, socket or event descriptor that
    /// the program opens takes its number, and is read as input or written to as output. It is opened so that using it still fails.
    package static func occupyStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number is this one, because those before it are taken.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Threads of a run: loop, workers, queues of sinks and signals.
    private static let threads = 8
    /// The heap of a run and the pages of its database.
    private static let heap = 32 << 20
    /// What a thread's stack takes where its limit is "unlimited" (pthread_create(3)).
    private static let usualStack = 2 << 20

    /// Why the limit of this process's address space is too low for a run, as a sentence; `nil` where it is not. Without this check a
    /// thread that cannot be made would be tried again for ever, without a word.
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

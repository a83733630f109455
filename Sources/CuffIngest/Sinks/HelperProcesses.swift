import Glibc

/// The running helpers of this program. One that hangs does not outlive it.
enum HelperProcesses {
    private struct State {
        var running: Set<pid_t> = []
        /// This program is ending: no other helper is started.
        var isOver = false
    }

    private static let state = Locked(State())
    private static let isRegistered = atexit { HelperProcesses.endAll() } == 0

    /// `spawn` starts a process in a group of its own, and returns its id or a negated errno.
    static func start(_ spawn: () -> Int32) -> Int32 {
        _ = isRegistered
        return state.withLock { state in
            guard !state.isOver else { return -ECANCELED }
            let process = spawn()
            if process > 0 { state.running.insert(process) }
            return process
        }
    }

    /// The exit status of a process that has ended; -1 if it is not known.
    static func status(of process: pid_t) -> Int32? {
        state.withLock { state in
            // Afterwards its id may be another process's.
            guard state.running.contains(process) else { return -1 }
            var status: Int32 = 0
            let result = waitpid(process, &status, WNOHANG)
            if result == 0 || result < 0 && errno == EINTR { return nil }
            state.running.remove(process)
            return result == process ? status : -1
        }
    }

    /// A signal for the group of a process that has not ended.
    static func signal(_ process: pid_t, _ number: Int32) {
        state.withLock { state in
            if state.running.contains(process) { kill(-process, number) }
        }
    }

    /// At the end of this program. The helpers had their time: SIGTERM, and SIGKILL for those that do not end by it.
    private static func endAll() {
        state.withLock { state in
            state.isOver = true
            for process in state.running { kill(-process, SIGTERM) }
            let until = HostClock.monotonic() + Duration.seconds(1).nanoseconds
            while HostClock.monotonic() < until {
                state.running = state.running.filter { waitpid($0, nil, WNOHANG) == 0 }
                if state.running.isEmpty { return }
                usleep(2000)
            }
            for process in state.running { kill(-process, SIGKILL) }
        }
    }
}

import Glibc
import Testing

@testable import CuffIngest

/// An initialiser that throws after every property is set runs deinit: a descriptor closed in both may already be another
/// thread's file.
@Suite struct DescriptorTests {
    /// Opens and closes descriptors until stopped; counts those closed by other threads meanwhile.
    private func stolen(while body: @escaping @Sendable () -> Void) async throws -> Int {
        let isDone = Locked(false)
        async let lost = onThread {
            var lost = 0
            while !isDone.withLock({ $0 }) {
                let own = (0..<8).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
                sched_yield()
                for descriptor in own where close(descriptor) != 0 { lost += 1 }
            }
            return lost
        }
        try await onThread {
            body()
            isDone.withLock { $0 = true }
        }
        return try await lost
    }

    @Test func refusedFiles_CloseTheirDescriptorOnce() async throws {
        let folder = TestFolder()
        let path = folder.file("bp.jsonl")
        let holder = try LineFile(path)
        let lost = try await stolen {
            for _ in 0..<20_000 {
                #expect(throws: IngestError.self) { try LineFile(path) }
                #expect(throws: IngestError.self) { try InputFile(.path(folder.path)) }
            }
        }
        #expect(lost == 0)
        withExtendedLifetime(holder) {}
    }

    /// A library must not change the signal handling of its process: the default of SIGPIPE would end it here.
    @Test func closedPipe_IsAnError_WhateverTheProcessDoesAboutItsSignal() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let before = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, before) }
        #expect(throws: SystemFault("write", EPIPE)) {
            try [UInt8](repeating: 0, count: 8).withUnsafeBytes { try Descriptor.writeAll(ends[1], $0) }
        }
        var (pending, blocked) = (sigset_t(), sigset_t())
        sigpending(&pending)
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        #expect(sigismember(&pending, SIGPIPE) == 0 && sigismember(&blocked, SIGPIPE) == 0)
    }

    /// A caller that blocks the signal finds it as before: blocked, and pending only if it was.
    @Test(arguments: [false, true]) func closedPipe_LeavesASignalThatTheCallerBlocks(_ isPending: Bool) throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        var (signals, before, pending, blocked) = (sigset_t(), sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        if isPending { pthread_kill(pthread_self(), SIGPIPE) }
        #expect(throws: SystemFault("write", EPIPE)) {
            try [UInt8](repeating: 0, count: 8).withUnsafeBytes { try Descriptor.writeAll(ends[1], $0) }
        }
        sigpending(&pending)
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        #expect(sigismember(&blocked, SIGPIPE) == 1)
        #expect((sigismember(&pending, SIGPIPE) == 1) == isPending)
        // Removed, because the former mask would deliver it.
        var none = timespec()
        if isPending { #expect(sigtimedwait(&signals, nil, &none) == SIGPIPE) }
    }
}

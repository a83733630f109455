import CuffCore
import Glibc
import Testing

@testable import CuffIngest

/// What keeps other programs from a port that is in use, besides `flock`.
@Suite struct SerialLockTests {
    /// `TIOCGEXCL`, `_IOR('T', 0x40, int)` of asm-generic/ioctls.h: a macro that Swift does not import.
    private static let getExclusive: UInt = 0x8004_5440

    /// Programs that never call `flock` are refused by the kernel.
    @Test func openPort_IsExclusive_AndAClosedOneIsNot() async throws {
        let pty = Pty()
        let other = open(pty.path, O_RDWR | O_NOCTTY | O_NONBLOCK)
        try #require(other >= 0)
        defer { close(other) }
        func isExclusive() throws -> Bool {
            var mode: Int32 = -1
            try #require(ioctl(other, Self.getExclusive, &mode) == 0)
            return mode == 1
        }
        #expect(try !isExclusive())
        let events = Mailbox<TransportEvent>()
        let port = TTYTransport(path: pty.path, line: LineSettings())
        try port.open()
        #expect(try isExclusive())
        let bound = LoopBound(port)
        let started = EventLoop.shared.sync { Swift.Result { try bound.value.start(on: .shared) { events.post($0) } } }
        try started.get()
        EventLoop.shared.sync { bound.value.close() }
        await events.wait { $0.contains { if case .closed = $0 { true } else { false } } }
        #expect(try !isExclusive())
    }

    // MARK: Lock files

    /// A port that no machine has, and its lock file in the folder that serial programs share.
    private struct Port {
        let device: String
        let file: String

        init(_ name: String) {
            device = "/dev/ttyCuffTest\(getpid())\(name)"
            file = "/var/lock/LCK..ttyCuffTest\(getpid())\(name)"
        }

        func write(_ bytes: [UInt8]) throws {
            let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL, 0o644)
            try #require(descriptor >= 0)
            #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
            close(descriptor)
        }

        var content: String? {
            guard let descriptor = try? Descriptor.open(file, O_RDONLY) else { return nil }
            defer { close(descriptor) }
            return (try? Descriptor.chunk(descriptor, 64)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private static let isWritable = access("/var/lock", W_OK) == 0

    /// Process 1 lives as long as the system. The number is ten characters or four bytes of the machine.
    @Test(.enabled(if: isWritable, "needs a writable /var/lock"), arguments: [false, true])
    func lockOfALivingProgram_IsHonoured(_ isBinary: Bool) throws {
        let port = Port("living\(isBinary)")
        try port.write(isBinary ? withUnsafeBytes(of: pid_t(1)) { Array($0) } : Array("         1\n".utf8))
        defer { unlink(port.file) }
        let before = port.content
        #expect {
            try TTYTransport(path: port.device, line: LineSettings()).open()
        } throws: { error in
            let error = error as? IngestError
            return error?.status == .tryAgain && error?.description.contains("process 1 locked it (\(port.file))") == true
        }
        #expect(port.content == before)
    }

    /// No process has the largest number: the kernel's limit is 2^22.
    @Test(.enabled(if: isWritable, "needs a writable /var/lock"))
    func lockOfAProgramThatIsGone_IsReplaced_AndRemovedAtTheEnd() throws {
        let port = Port("gone")
        try port.write(Array("2147483647\n".utf8))
        defer { unlink(port.file) }
        var lock = try UUCPLock(for: port.device)
        #expect(lock != nil)
        let number = String(getpid())
        #expect(port.content == String(repeating: " ", count: 10 - number.count) + number + "\n")
        lock = nil
        #expect(port.content == nil)
    }
}

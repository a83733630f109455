import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// The watcher and the kernel's real queue of events, in a network namespace of the test, so that no other queue overflows.
@Suite(.enabled(if: geteuid() == 0, "a network namespace needs root"), .timeLimit(.minutes(5)))
struct HotplugOverflowTests {
    // Of linux/sched.h and linux/netlink.h, which Swift does not import.
    private static let newNetwork: Int32 = 0x4000_0000
    private static let deviceEvents: Int32 = 15
    private struct NetlinkAddress {
        var family = sa_family_t(AF_NETLINK)
        var padding: UInt16 = 0
        var process: UInt32 = 0
        /// libudev's own group.
        var groups: UInt32 = 2
    }

    /// More than the receive buffer of 1 MiB holds while the watcher's queue is blocked. libudev skips foreign messages.
    private static func flood() throws {
        let socket = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), deviceEvents)
        try #require(socket >= 0)
        defer { close(socket) }
        let message = [UInt8](repeating: 0x78, count: 8192)
        var address = NetlinkAddress()
        let length = socklen_t(MemoryLayout<NetlinkAddress>.size)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                for _ in 0..<1000 { _ = sendto(socket, message, message.count, 0, address, length) }
            }
        }
    }

    @Test func eventsThatTheKernelDropped_AreMadeUpByCounting() async throws {
        typealias Unshare = @convention(c) (Int32) -> Int32
        let unshare = unsafeBitCast(try #require(dlsym(nil, "unshare")), to: Unshare.self)
        let queue = DispatchQueue(label: "test.overflow")
        let watcher = HotplugWatcher(queue: queue, source: .udev)
        let told = Mailbox<HotplugEvent>()
        // The thread is in the namespace, and with it the sockets that it opens; it ends with this call.
        try await onThread {
            try #require(unshare(Self.newNetwork) == 0)
            try watcher.start { events in for event in events { told.post(event) } }
            queue.suspend()
            defer { queue.resume() }
            try Self.flood()
        }
        await told.wait { $0.contains(.notice("the kernel's event queue overflowed; enumerating the devices again")) }
        #expect(told.values.contains(.settled))
        watcher.stop()
    }
}

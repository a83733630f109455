import Glibc
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(1))) struct HelperProcessTests {
    /// A descriptor that a shell left open, as after `exec 9<file`.
    @Test func aHelper_InheritsNoOtherDescriptor() throws {
        let plain = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let inherited = fcntl(plain, F_DUPFD, 200)
        defer { for descriptor in [plain, inherited] { close(descriptor) } }
        #expect(inherited >= 200)
        let script = "for i in 0 1 2 \(inherited); do [ -e /proc/$$/fd/$i ] && echo open || echo closed; done"
        let peer = CommandPeer(["/bin/sh", "-c", script], name: "exec+ack:sh", isAnswering: true)
        try peer.open(StopSignal())
        let input = try #require(peer.ends?.input)
        var text = ""
        var entry = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 10_000) > 0 {
            var room = [UInt8](repeating: 0, count: 256)
            let count = read(input, &room, room.count)
            guard count > 0 else { break }
            text += String(decoding: room[..<count], as: UTF8.self)
        }
        #expect(text == "open\nopen\nopen\nclosed\n")
        #expect(peer.close())
    }
}

import CuffCore
import Glibc

/// Whether the live page can be or is served at an address. Nothing stays open.
package enum PageProbe {
    package enum State: Sendable {
        case free
        case served
        case taken
        case failed(IngestError)
    }

    private static let patience = Duration.seconds(2)
    /// The state of many cuffs is a few kilobytes.
    private static let longest = 1 << 20

    /// Opens the port briefly; if it is in use, asks its owner.
    package static func look(at address: WebAddress) -> State {
        do throws(IngestError) {
            close(try TCPTransport.listening(address.host, String(address.port), address.description).descriptor)
            return .free
        } catch {
            guard case .cannotListen(_, EADDRINUSE)? = error.fault as? TransportFault else { return .failed(error) }
            return isPage(address) ? .served : .taken
        }
    }

    private static func isPage(_ address: WebAddress) -> Bool {
        let host = address.host.isEmpty ? "127.0.0.1" : address.host
        guard let descriptor = try? TCPTransport.connecting(host, String(address.port), address.description) else { return false }
        defer { close(descriptor) }
        let until = HostClock.monotonic() + patience.nanoseconds
        func isReady(_ events: Int32) -> Bool {
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let left = max(0, (until - HostClock.monotonic()) / 1_000_000)
            return poll(&entry, 1, Int32(clamping: left)) > 0
        }
        let request = Array("GET /api/state HTTP/1.0\r\n\r\n".utf8)
        guard isReady(Int32(POLLOUT)), send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return false }
        var answer: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 4096)
        while answer.count < longest, isReady(Int32(POLLIN)), case let count = recv(descriptor, &room, room.count, 0), count > 0 {
            answer += room[..<count]
        }
        let text = String(decoding: answer, as: UTF8.self)
        return text.hasPrefix("HTTP/1.1 200") && text.contains("{\"cuffs\":[")
            || text.hasPrefix("HTTP/1.1 403") && text.contains("`cuff web link`")
    }
}

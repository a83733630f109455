import CuffCore
import Glibc

/// Answers `GET /metrics` on a port of 127.0.0.1, one request at a time, and nothing else. It is no web server: it reads one
/// small request, answers, and closes.
final class MetricsServer: Sendable {
    /// `http://127.0.0.1:9464/metrics`.
    let address: String
    let port: Int
    private let listener: Int32
    private let stop = StopSignal()
    private let ended = Gate(isOpen: false)
    private let body: @Sendable () -> String

    /// A request line and its headers; a scraper's are some 300 bytes.
    private static let longestRequest = 8192
    /// Whoever connects and says nothing holds up the next one for so long.
    private static let patience = Duration.seconds(2)

    /// Port 0 takes any free one.
    init(port: Int, body: @escaping @Sendable () -> String) throws(IngestError) {
        (listener, self.port) = try TCPTransport.listening("127.0.0.1", String(port), "127.0.0.1:\(port)")
        address = "http://127.0.0.1:\(self.port)/metrics"
        self.body = body
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        pthread.detached { self.serve() }
    }

    /// Blocks until the port is closed.
    func close() {
        stop.raise()
        ended.pass()
    }

    private func serve() {
        while LineStream.wait(listener, POLLIN, stop) {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { continue }
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            answer(client)
            Glibc.close(client)
        }
        Glibc.close(listener)
        ended.set(open: true)
    }

    private func answer(_ client: Int32) {
        let until = HostClock.monotonic() + Self.patience.nanoseconds
        var request: [UInt8] = []
        while !Self.isWhole(request) {
            guard request.count <= Self.longestRequest, wait(client, POLLIN, until) else { return }
            var room = [UInt8](repeating: 0, count: 2048)
            let count = recv(client, &room, room.count, 0)
            guard count > 0 else { return }
            request += room[..<count]
        }
        var rest = Self.response(to: String(decoding: request, as: UTF8.self), body)[...]
        while !rest.isEmpty, wait(client, POLLOUT, until) {
            let count = rest.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
        shutdown(client, Int32(SHUT_WR))
    }

    private func wait(_ client: Int32, _ events: Int32, _ until: Int64) -> Bool {
        let left = until - HostClock.monotonic()
        return left > 0 && LineStream.wait(client, events, stop, milliseconds: Int32(clamping: left / 1_000_000 + 1))
    }

    private static func isWhole(_ request: [UInt8]) -> Bool {
        request.count >= 4 && (request.suffix(4).elementsEqual("\r\n\r\n".utf8) || request.suffix(2).elementsEqual("\n\n".utf8))
    }

    /// A page of another site that has itself resolved to this address names itself as the host; it is not answered.
    static func response(to request: String, _ body: () -> String) -> [UInt8] {
        let lines = request.split(whereSeparator: \.isNewline)
        let words = lines.first?.split(separator: " ") ?? []
        let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }.map { $0.dropFirst(5).drop { $0 == " " } }
        let name = hosts.first.map { String($0.prefix { $0 != ":" }) } ?? "127.0.0.1"
        let (status, text): (String, String)
        if words.count != 3 || words[0] != "GET" && words[0] != "HEAD" {
            (status, text) = ("405 Method Not Allowed", "only GET\n")
        } else if hosts.count > 1 || hosts.isEmpty && words[2] != "HTTP/1.0" {
            // RFC 9112, 3.2: a request of HTTP/1.1 names its host, once.
            (status, text) = ("400 Bad Request", "a request names its host, once\n")
        } else if name != "127.0.0.1" && name != "localhost" {
            (status, text) = ("403 Forbidden", "this is 127.0.0.1\n")
        } else if words[1] != "/metrics" && words[1] != "/" {
            (status, text) = ("404 Not Found", "only /metrics\n")
        } else {
            (status, text) = ("200 OK", body())
        }
        let kind = status.hasPrefix("200") ? "application/openmetrics-text; version=1.0.0; charset=utf-8" : "text/plain"
        let head = "HTTP/1.1 \(status)\r\nContent-Type: \(kind)\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + (words.first == "HEAD" ? [] : Array(text.utf8))
    }
}

import Glibc
import PostgresStore
import RemoteSink
import Synchronization

/// What the gateway counts, for another thread to show.
final class GatewayCounts: Sendable {
    private let stored = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)

    func set(stored: Int, refused: Int) {
        self.stored.store(stored, ordering: .relaxed)
        self.refused.store(refused, ordering: .relaxed)
    }
    var values: (stored: Int, refused: Int) { (stored.load(ordering: .relaxed), refused.load(ordering: .relaxed)) }
}

/// `GET /metrics` and `GET /` on a thread of its own, one request after the other. Whatever happens here, readings are stored.
final class StatusServer: @unchecked Sendable {
    private let listener: Int32
    private let session: Session
    private let counts: GatewayCounts
    private var known: (facts: FleetFacts, at: Double)?

    private static let longestRequest = 8 << 10
    private static let patience = 5
    /// For a whole answer, in seconds: a client that reads a little at a time would hold up the others.
    private static let sending = 10.0
    /// Several pages and scrapes share one look into the database.
    private static let freshness = 5.0

    /// Listens on `HOST:PORT`.
    init(_ place: String, database: PostgresAddress, counts: GatewayCounts) throws(ConfigurationFault) {
        self.counts = counts
        session = Session(database)
        guard let colon = place.lastIndex(of: ":"), colon != place.startIndex else {
            throw ConfigurationFault("--metrics \(place) is not HOST:PORT, e.g. 127.0.0.1:9464")
        }
        let host = place[..<colon].filter { $0 != "[" && $0 != "]" }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(place[place.index(after: colon)...]), &hints, &found) == 0, let info = found else {
            throw ConfigurationFault("--metrics \(place) is not an IP address and a port, e.g. 127.0.0.1:9464")
        }
        defer { freeaddrinfo(found) }
        listener = socket(info.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard listener >= 0, bind(listener, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0, listen(listener, 16) == 0 else {
            throw ConfigurationFault("cannot listen on \(place): \(String(cString: strerror(errno)))")
        }
    }

    func start() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<StatusServer>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        pthread_detach(thread)
    }

    private func run() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                // Out of descriptors, for example.
                usleep(100_000)
                continue
            }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
            setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            if let line = requestLine(client) { send(answer(line), to: client) }
            shutdown(client, Int32(SHUT_WR))
            close(client)
        }
    }

    private func requestLine(_ client: Int32) -> [Substring]? {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 2048)
        let until = monotonicSeconds() + Double(Self.patience)
        while bytes.count < Self.longestRequest, monotonicSeconds() < until {
            let count = recv(client, &room, room.count, 0)
            guard count > 0 else { return nil }
            bytes += room[..<count]
            if bytes.suffix(4 + count).split(separator: 0x0A, omittingEmptySubsequences: false).contains(where: {
                $0.isEmpty || $0.elementsEqual([0x0D])
            }),
                let text = String(validating: bytes, as: UTF8.self)
            {
                return text.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ")
            }
        }
        return nil
    }

    private func answer(_ words: [Substring]) -> String {
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return Self.answer("400 Bad Request", "text/plain", "bad request\n") }
        guard words[0] == "GET" else { return Self.answer("405 Method Not Allowed", "text/plain", "only GET\n") }
        let path = words[1].prefix { $0 != "?" }
        guard path == "/metrics" || path == "/" else { return Self.answer("404 Not Found", "text/plain", "only / and /metrics\n") }
        let facts: FleetFacts
        do throws(ServerFault) { facts = try current() } catch {
            return Self.answer("503 Service Unavailable", "text/plain; charset=utf-8", "the database: \(error.text)\n")
        }
        var text = FleetText(facts: facts)
        (text.stored, text.setAside) = counts.values
        return path == "/"
            ? Self.answer("200 OK", "text/html; charset=utf-8", text.page)
            : Self.answer("200 OK", "application/openmetrics-text; version=1.0.0; charset=utf-8", text.metrics)
    }

    private func current() throws(ServerFault) -> FleetFacts {
        if let known, monotonicSeconds() - known.at < Self.freshness { return known.facts }
        do throws(ServerFault) {
            if !session.isOpen { try session.open(limit: 10) }
            let facts = try FleetFacts(session)
            known = (facts, monotonicSeconds())
            return facts
        } catch {
            session.close()
            throw error
        }
    }

    private static func answer(_ status: String, _ type: String, _ body: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\nCache-Control: no-store\r\n"
            + "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\n\r\n" + body
    }

    private func send(_ text: String, to client: Int32) {
        var rest = Array(text.utf8)[...]
        let until = monotonicSeconds() + Self.sending
        while !rest.isEmpty {
            let left = until - monotonicSeconds()
            guard left > 0 else { return }
            var limit = timeval(tv_sec: Int(left), tv_usec: Int(left.truncatingRemainder(dividingBy: 1) * 999_999) + 1)
            setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            let count = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

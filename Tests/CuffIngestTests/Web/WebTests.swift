import CuffClinical
import CuffCore
import Glibc
import Testing

@testable import CuffIngest

/// Only the last suite uses sockets.
@Suite struct HTTPRequestTests {
    private func parse(_ text: String, own: String = "127.0.0.1") throws(HTTPRequest.Fault) -> HTTPRequest {
        try HTTPRequest(Array(text.utf8), ownHost: own)
    }

    @Test func request_HasPathAndQuery() throws {
        let request = try parse("GET /api/readings?limit=5&limit=9&x HTTP/1.1\r\nHost: localhost:6025\r\n\r\n")
        #expect(request == (try parse("GET /api/readings?limit=5&x= HTTP/1.0\r\n\r\n")))
        #expect(request.path == "/api/readings" && request.query == ["limit": "5", "x": ""] && !request.isHead)
    }

    @Test(arguments: [
        ("nonsense\r\n\r\n", HTTPRequest.Fault.malformed), ("GET / HTTP/2\r\n\r\n", .malformed), ("GET evil HTTP/1.1\r\n\r\n", .malformed),
        ("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", .method), ("GET / HTTP/1.1\r\n\r\n", .host),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n\r\n", .host),
    ])
    func request_OfNoHost_OrSeveral_IsRefused(_ text: String, _ fault: HTTPRequest.Fault) {
        #expect(throws: fault) { try parse(text) }
    }

    @Test(arguments: [
        "evil.example", "127.0.0.1.evil.example", "[::1].evil.example", "[::1]evil.example:6025", "[evil.example]", "[::1", "[::1]:80:evil",
        "localhost:6025.evil.example", "127.0.0.1:x", "1.2.3.444", "@localhost", "",
    ])
    func host_OfAnotherSite_IsForeign(_ host: String) throws {
        for version in ["HTTP/1.0", "HTTP/1.1"] {
            let request = try parse("GET / \(version)\r\nHost: \(host)\r\n\r\n")
            #expect(!request.isForOwnHost && WebAccess().refusal(request) == HTTPResponse(.foreignHost))
        }
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.1:6025", "[::1]:6025", "localhost", "LOCALHOST:1", "192.168.1.5", "ward-3:80"])
    func host_ThatCannotBeAnotherSites_IsTaken(_ host: String) throws {
        #expect(try parse("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n", own: "ward-3").isForOwnHost)
    }
}

@Suite struct WebConnectionTests {
    private let whole = Array("GET /metrics HTTP/1.0\r\n\r\n".utf8)

    @Test func request_MayComeInAnyPieces() throws {
        for cut in 1..<whole.count {
            var connection = WebConnection(ownHost: "127.0.0.1")
            #expect(connection.receive(Array(whole[..<cut])) == .wait, "\(cut)")
            #expect(connection.receive(Array(whole[cut...])) == .ask(try HTTPRequest(whole, ownHost: "")), "\(cut)")
            #expect(connection.receive(whole) == .wait, "a second request is ignored")
        }
    }

    @Test func head_WithoutEnd_IsRefused() {
        var connection = WebConnection(ownHost: "127.0.0.1")
        #expect(connection.receive([UInt8](repeating: 0x41, count: HTTPRequest.longest)) == .wait)
        guard case .answer(let response) = connection.receive([0x41]) else { return #expect(Bool(false), "not refused") }
        #expect(response.status.hasPrefix("431"))
    }

    /// A body may come with the head or after it, in any pieces; the answer is the same, and is not lost by a reset.
    @Test func aBody_IsPassedOver() {
        let post = Array("POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 40\r\n\r\n".utf8) + [UInt8](repeating: 0x41, count: 40)
        let get = Array("GET /x HTTP/1.0\r\nContent-Length: 5\r\n\r\n12345".utf8)
        for cut in 0..<post.count {
            var connection = WebConnection(ownHost: "")
            let steps = [connection.receive(Array(post[..<cut])), connection.receive(Array(post[cut...]))]
            let answers = steps.filter { if case .answer(let answer) = $0 { answer.status.hasPrefix("405") } else { false } }
            #expect(answers.count == 1, "\(cut)")
            #expect(connection.send(10) == .wait && connection.sent(10) == .finish, "\(cut)")
            #expect(connection.receive(post) == .wait, "\(cut)")
        }
        var connection = WebConnection(ownHost: "")
        guard case .ask(let request) = connection.receive(get) else { return #expect(Bool(false), "not asked") }
        #expect(request.path == "/x")
    }

    @Test func answer_ThatIsOut_EndsTheConnection() {
        var connection = WebConnection(ownHost: "127.0.0.1")
        _ = connection.receive(whole)
        #expect(connection.send(100) == .wait)
        #expect(connection.sent(60) == .wait)
        #expect(connection.sent(40) == .close)
    }

    @Test func viewer_ThatReadsNothing_IsDropped() {
        var connection = WebConnection(ownHost: "127.0.0.1")
        _ = connection.receive(whole)
        connection.follow()
        var sent = 0
        while sent < 2 * WebConnection.longestBacklog, connection.send(200) == .wait { sent += 200 }
        #expect(sent <= WebConnection.longestBacklog && sent > WebConnection.longestBacklog - 200)
        var reader = WebConnection(ownHost: "127.0.0.1")
        _ = reader.receive(whole)
        reader.follow()
        for _ in 0..<10_000 {
            #expect(reader.send(200) == .wait)
            #expect(reader.sent(200) == .wait)
        }
    }
}

@Suite struct WebBoardTests {
    private func batch(_ source: Int, _ entries: [BatchEntry]) -> ReadingBatch {
        ReadingBatch(source: source, driver: "par-nibp", device: "cuff-\(source)", entries: entries)
    }
    private func pressure(_ value: Int) -> BatchEntry { .live(.cuffPressure(.mmHg(value)), driver: "par-nibp", elapsed: nil) }

    @Test func news_TellsOfManySamplesOnce() throws {
        let calls = Locked(0)
        let board = WebBoard { calls.withLock { $0 += 1 } }
        for value in 100..<200 { _ = try board.write(batch(1, [pressure(value)])) }
        #expect(calls.withLock { $0 } == 1)
        let text = String(decoding: board.news(), as: UTF8.self)
        #expect(text == "event: live\ndata: {\"cuffs\":[{\"key\":\"1\",\"name\":\"cuff-1\",\"pressure_mmHg\":199}]}\n\n")
        #expect(board.news().isEmpty)
        _ = try board.write(batch(1, [.live(.ended, driver: "par-nibp", elapsed: nil)]))
        #expect(calls.withLock { $0 } == 2)
        #expect(String(decoding: board.news(), as: UTF8.self) == "event: ended\ndata: {\"keys\":[\"1\"]}\n\n")
        #expect(board.live.isEmpty)
    }

    @Test func aClosedLink_LeavesNoPressure_AndItsLossIsTold() throws {
        let calls = Locked(0)
        let board = WebBoard { calls.withLock { $0 += 1 } }
        _ = try board.write(batch(1, [pressure(90)]))
        _ = board.news()
        board.linkChanged(1, isOpen: false)
        #expect(calls.withLock { $0 } == 2)
        let text = String(decoding: board.news(), as: UTF8.self)
        #expect(
            text
                == "event: lost\ndata: {\"cuffs\":[{\"key\":\"1\",\"name\":\"cuff-1\",\"pressure_mmHg\":90,\"reason\":\"connection lost\"}]}\n\n"
                + "event: changed\ndata: {}\n\n")
        // A late sample is ignored.
        _ = try board.write(batch(1, [pressure(80)]))
        #expect(board.live.map(\.loss) == [.connectionLost])
        let site = WebSite(board, database: nil, zone: nil, generator: "cuff", .init(counters: { nil }))
        func get(_ target: String) throws -> String {
            let request = try HTTPRequest(Array("GET \(target) HTTP/1.0\r\n\r\n".utf8), ownHost: "")
            guard case .response(let response) = site.answer(request) else { return "" }
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(
            try get("/api/state").contains(#""live":[],"lost":[{"key":"1","name":"cuff-1","pressure_mmHg":80,"reason":"connection lost"}]"#)
        )
        let page = try get("/")
        #expect(page.contains("cuff-1: Connection lost at 80 mmHg") && !page.contains("<meter"))
        // It is back on another link, which ends the loss.
        _ = try board.write(ReadingBatch(source: 2, driver: "par-nibp", device: "cuff-1", entries: [pressure(30)]))
        #expect(board.live.map(\.key) == ["2"] && board.live.map(\.loss) == [nil])
        #expect(String(decoding: board.news(), as: UTF8.self).contains("event: ended\ndata: {\"keys\":[\"1\"]}"))
    }

    @Test func aLink_ThatClosesWithoutAMeasurement_IsNewsOfThePageAlone() {
        let board = WebBoard {}
        for isOpen in [true, false] {
            board.linkChanged(7, isOpen: isOpen)
            #expect(String(decoding: board.news(), as: UTF8.self) == "event: changed\ndata: {}\n\n")
        }
        #expect(board.live.isEmpty)
    }

    @Test func aFailureByALostCuff_SaysSo_AndAnotherFailureDoesNot() throws {
        let board = WebBoard {}
        for (source, reason) in [(1, FailureReason.lost), (2, .cuffLoose)] {
            _ = try board.write(batch(source, [pressure(90), .live(.failed(.init(reason)), driver: "par-nibp", elapsed: nil)]))
        }
        #expect(board.live.map(\.key) == ["1"] && board.live.map(\.loss) == [.connectionLost])
    }

    @Test func aPressure_ThatNothingRenews_IsNoPresentOne() throws {
        let now = Locked<Int64>(0)
        let board = WebBoard(now: { now.withLock { $0 } }, onNews: {})
        _ = try board.write(batch(1, [pressure(90)]))
        _ = board.news()
        now.withLock { $0 = WebBoard.silence.nanoseconds }
        #expect(board.live.map(\.loss) == [nil])
        now.withLock { $0 += 1 }
        #expect(String(decoding: board.news(), as: UTF8.self).contains("\"pressure_mmHg\":90,\"reason\":\"silent\""))
        #expect(board.live.map(\.loss) == [.silent])
        _ = try board.write(batch(1, [pressure(85)]))
        #expect(board.live.map(\.loss) == [nil])
        now.withLock { $0 += 3_700_000_000_000 }
        _ = board.live
        now.withLock { $0 += 3_700_000_000_000 }
        #expect(board.live.isEmpty)
    }

    @Test func manyLostCuffs_LeaveRoomForLiveOnes() throws {
        let board = WebBoard {}
        for source in 1...600 {
            _ = try board.write(batch(source, [pressure(source % 200)]))
            board.linkChanged(source, isOpen: false)
        }
        _ = try board.write(batch(1000, [pressure(77)]))
        #expect(board.live.count <= 256)
        #expect(board.live.contains { $0.loss == nil && $0.pressure == 77 })
    }

    /// The user's name for a cuff, else its model, else its identity.
    @Test func aMeasuringCuff_HasTheUsersName() throws {
        let board = WebBoard(names: ["kitchen"], onNews: {})
        for (source, device) in [(1, "kitchen"), (2, "/dev/pts/11")] {
            _ = try board.write(
                ReadingBatch(
                    source: source, driver: "par-nibp", device: device, identity: DeviceIdentity(model: "BP 9"), entries: [pressure(90)]))
        }
        _ = try board.write(ReadingBatch(source: 3, driver: "par-nibp", device: "/dev/pts/12", entries: [pressure(90)]))
        #expect(board.live.map(\.name) == ["kitchen", "BP 9", "/dev/pts/12"])
    }

    /// The configured language, the address's, or the browser's.
    @Test func thePage_SpeaksTheLanguage() throws {
        let board = WebBoard {}
        func page(_ settings: ReportSettings, _ target: String, _ header: String) throws -> String {
            let site = WebSite(
                board, database: nil, zone: .utc, generator: "cuff",
                .init(counters: { nil }, settings: { PageSettings(report: settings) }))
            let head = "GET \(target) HTTP/1.0\r\nAccept-Language: \(header)\r\n\r\n"
            guard case .response(let response) = site.answer(try HTTPRequest(Array(head.utf8), ownHost: "")) else { return "" }
            return String(decoding: response.body, as: UTF8.self)
        }
        var german = ReportSettings()
        german.language = .named("de")
        for (settings, target, header, word) in [
            (ReportSettings(), "/", "de-DE,de;q=0.9,en;q=0.8", "Blutdruck"), (ReportSettings(), "/", "fr", "Blood pressure"),
            (german, "/", "en", "Blutdruck"), (german, "/?lang=en", "de", "Blood pressure"),
            (ReportSettings(), "/?lang=xx", "de", "Blutdruck"),
        ] { #expect(try page(settings, target, header).contains("<h1>\(word)</h1>"), "\(target) \(header)") }
        #expect(try page(german, "/", "").contains("Kein Gerät ist angeschlossen."))
        #expect(try !page(german, "/", "").contains("id=\"skipped\""))
    }

    /// Without a database the readings of this run are averaged, in the order of their times.
    @Test func withoutADatabase_TheReadingsOfThisRunAreShown() throws {
        let board = WebBoard {}
        let now = HostClock.now().seconds
        for (hours, systolic) in [(0, 120), (30, 130), (20 * 24, 140)] {
            var reading = Reading(.bloodPressure(.mmHg(systolic, 80, pulse: 70)), driver: "r1", origin: .memory, raw: RawBytes([1]))
            reading.measured = Timestamp(seconds: now - Int64(hours) * 3600)
            reading.id = Reading.ID(wallSeconds: now - Int64(hours) * 3600, hash: UInt64(systolic))
            _ = try board.write(batch(1, [.reading(reading)]))
        }
        let site = WebSite(board, database: nil, zone: .utc, generator: "cuff", .init(counters: { nil }))
        func get(_ target: String) throws -> HTTPResponse {
            guard case .response(let response) = site.answer(try HTTPRequest(Array("GET \(target) HTTP/1.0\r\n\r\n".utf8), ownHost: ""))
            else { return .notFound }
            return response
        }
        let page = String(decoding: try get("/").body, as: UTF8.self)
        // (120 + 130) / 2 of 7 days, (120 + 130 + 140) / 3 of 30 days; the latest is the first that came.
        #expect(page.contains("Average, 7 days</h3>\n<p><b>125/80</b>") && page.contains("Average, 30 days</h3>\n<p><b>130/80</b>"))
        #expect(page.contains("<div class=\"latest\"><p><b>120/80</b>"))
        #expect(String(decoding: try get("/readings.csv").body, as: UTF8.self).split(whereSeparator: \.isNewline).count == 4)
        #expect(try get("/report").status.hasPrefix("404"))
        // As with a database: a link of a person who is not here any more.
        #expect(try get("/readings.csv?person=zzz").status.hasPrefix("404"))
        let key = PageContents.key(.unnamed(slot: nil, cuff: "cuff-1"))
        let own = try get("/readings.csv?person=\(key)")
        #expect(own.status.hasPrefix("200") && own.body.split(separator: 0x0A).count == 4)
    }

    /// Many readings that do not count are newer, and the clock of one cuff is ahead.
    @Test func theLatestThatCounts_IsShown_AndNoTimeInTheFutureIsTheLatest() throws {
        let folder = TestFolder()
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        let now = HostClock.now()
        var readings: [Reading] = []
        for number in 0..<23 {
            var reading = Reading(
                .bloodPressure(.mmHg(number == 0 ? 131 : 150 + number, 83, pulse: 70)), driver: "r1", origin: .push,
                raw: RawBytes([UInt8(number)]))
            reading.received = Timestamp(milliseconds: now.milliseconds - Int64(60 - number) * 60_000)
            reading.measured = reading.received
            if number > 0 { reading.flags.insert(.invalid) }
            if number == 1 { reading.measured = Timestamp(milliseconds: now.milliseconds + 5 * 365 * 86_400_000) }
            reading.id = Reading.ID(wallSeconds: (reading.measured ?? now).seconds, hash: UInt64(number))
            readings.append(reading)
        }
        _ = try sink.write(batch(1, readings.map { .reading($0) }))
        let site = WebSite(WebBoard {}, database: folder.file("bp.db"), zone: .utc, generator: "cuff", .init(counters: { nil }))
        guard case .response(let response) = site.answer(try HTTPRequest(Array("GET / HTTP/1.0\r\n\r\n".utf8), ownHost: "")) else {
            Issue.record("no response")
            return
        }
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(page.contains("<div class=\"latest\"><p><b>131/83</b>"))
        let rows = page.split(separator: "<tr data-key=").dropFirst()
        #expect(rows.count == LivePage.rows && rows.first?.contains("172/83") == true, "\(rows.first ?? "")")
        #expect(!rows.contains { $0.contains("151/83") }, "it came before all others")
        try sink.close()
    }

    @Test func alert_IsNews() throws {
        let calls = Locked(0)
        let board = WebBoard { calls.withLock { $0 += 1 } }
        let notice = AlertNotice(
            id: .none, change: .raised, rule: "high", condition: "systolic >= 180", time: Timestamp(milliseconds: 0), text: "high")
        _ = try board.write(batch(1, [.live(.alert(notice), driver: "r1", elapsed: nil)]))
        #expect(calls.withLock { $0 } == 1 && String(decoding: board.news(), as: UTF8.self) == "event: changed\ndata: {}\n\n")
    }

    @Test func reading_IsNews_AndMemoryIsBounded() throws {
        let board = WebBoard {}
        for number in 0..<2000 {
            let reading = Reading(
                .bloodPressure(.mmHg(120, 80, pulse: 60 + number % 40)), driver: "r1", user: Int32(number), origin: .push,
                raw: RawBytes([1]))
            _ = try board.write(batch(1, [.reading(reading)]))
        }
        #expect(String(decoding: board.news(), as: UTF8.self) == "event: changed\ndata: {}\n\n")
        #expect(board.latest(5).map(\.reading.user) == [1995, 1996, 1997, 1998, 1999])
        #expect(board.latest(10_000).count <= 800)
    }

    @Test func site_AnswersReadOnlyJSON_AndRefusesWildLimits() throws {
        let board = WebBoard {}
        var reading = Reading(.bloodPressure(.mmHg(128, 82, pulse: 71)), driver: "r1", user: 1, origin: .push, raw: RawBytes([1]))
        reading.measured = Timestamp(milliseconds: 1_780_000_000_000)
        _ = try board.write(batch(1, [.reading(reading), .reading(reading)]))
        let site = WebSite(board, database: nil, zone: nil, generator: "cuff", .init(counters: { nil }))
        func get(_ target: String) throws -> HTTPResponse {
            let request = try HTTPRequest(Array("GET \(target) HTTP/1.0\r\n\r\n".utf8), ownHost: "")
            guard case .response(let response) = site.answer(request) else { return .notFound }
            return response
        }
        let text = String(decoding: try get("/api/readings?limit=1").body, as: UTF8.self)
        #expect(text.hasPrefix("{\"readings\":[{\"type\":\"blood_pressure\"") && text.hasSuffix("}]}\n"))
        #expect(text.contains("\"systolic_mmHg\":128,\"diastolic_mmHg\":82") && text.split(separator: "blood_pressure").count == 2)
        for limit in ["0", "-1", "1001", "x", ""] { #expect(try get("/api/readings?limit=\(limit)").status.hasPrefix("400")) }
        #expect(try get("/etc/passwd").status.hasPrefix("404"))
        let page = String(decoding: try get("/").body, as: UTF8.self)
        #expect(page.contains("<b>128/82</b> mmHg · 71 per minute") && page.contains(">Readings</h2>"))
        #expect(!page.contains("id=\"alerts\""))
        // Active alerts, with user text escaped for HTML.
        let since = Timestamp(milliseconds: 1_780_000_000_000)
        let alerting = WebSite(
            board, database: nil, zone: .utc, generator: "cuff",
            .init(
                counters: { nil },
                alerts: { [StandingAlert(rule: "<high>", condition: "systolic >= 180", since: since, device: "hallway", person: "Anna")] }
            ))
        func answer(_ target: String) throws -> String {
            let request = try HTTPRequest(Array("GET \(target) HTTP/1.0\r\n\r\n".utf8), ownHost: "")
            guard case .response(let response) = alerting.answer(request) else { return "" }
            return String(decoding: response.body, as: UTF8.self)
        }
        // 1780000000 is 2026-05-28T20:26:40Z.
        #expect(
            try answer("/").contains(
                "<li><b>Anna, hallway: &lt;high&gt;</b> (systolic &gt;= 180), Since <time datetime=\"2026-05-28T20:26\">28 May 2026, 20:26</time></li>"
            ))
        #expect(
            try answer("/api/state").contains(
                #""alerts":[{"rule":"<high>","condition":"systolic >= 180","since":"2026-05-28T20:26:40+00:00","device":"hallway","person":"Anna"}]"#
            ))
        // Without a board there are only counters.
        let counters = WebSite(nil, database: nil, zone: nil, generator: "cuff", .init(counters: { nil }))
        for path in ["/api/readings", "/events", "/live.js", "/api/state"] {
            let request = try HTTPRequest(Array("GET \(path) HTTP/1.0\r\n\r\n".utf8), ownHost: "")
            guard case .response(let response) = counters.answer(request) else { return #expect(Bool(false), "\(path)") }
            #expect(response.status.hasPrefix("404"), "\(path)")
        }
    }
}

@Suite struct WebServerTests {
    /// A connection on which this was sent.
    private static func sent(_ port: Int, _ request: String) throws -> Int32 {
        let descriptor = try TCPTransport.connecting("127.0.0.1", String(port), "test")
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, 5000)
        _ = send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL))
        return descriptor
    }

    /// Reads until the server closes, or `enough`. `pause`: how slow the client is, in microseconds after each 32 KiB.
    private func ask(
        _ port: Int, _ request: String, pause: useconds_t = 0, until enough: (@Sendable (String) -> Bool)? = nil
    ) async throws -> String {
        try await onThread {
            let descriptor = try Self.sent(port, request)
            defer { close(descriptor) }
            _ = fcntl(descriptor, F_SETFL, 0)
            var limit = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            var got: [UInt8] = []
            var room = [UInt8](repeating: 0, count: 32 << 10)
            while case let count = recv(descriptor, &room, room.count, 0), count > 0 {
                got += room[..<count]
                if pause > 0 { usleep(pause) }
                if let enough, enough(String(decoding: got, as: UTF8.self)) { break }
            }
            return String(decoding: got, as: UTF8.self)
        }
    }

    @Test func server_AnswersEachCallerOnce_AndClosesItsPort() async throws {
        let site = WebServer.Site { request in
            .response(HTTPResponse(Array("you asked for \(request.path)\n".utf8), type: "text/plain"))
        }
        let server = try WebServer(host: "", port: 0, site)
        try server.start()
        let port = try #require(Int(server.address.split(separator: ":").last ?? ""))
        let good = try await ask(port, "GET /x HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        #expect(good.hasPrefix("HTTP/1.1 200 OK\r\n") && good.hasSuffix("\r\n\r\nyou asked for /x\n"))
        #expect(good.contains("Content-Security-Policy: default-src 'none'"))
        let head = try await ask(port, "HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(head.hasSuffix("Content-Length: 17\r\n\r\n"))
        #expect(try await ask(port, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").hasPrefix("HTTP/1.1 403"))
        #expect(try await ask(port, "GET / HTTP/1.1\r\nX: \(String(repeating: "y", count: 20_000))\r\n\r\n").hasPrefix("HTTP/1.1 431"))
        #expect(throws: (any Error).self) { _ = try WebServer(host: "", port: port, site) }
        server.stop()
        #expect(try await ask(port, "GET / HTTP/1.0\r\n\r\n").isEmpty)
    }

    private func port(_ server: WebServer) throws -> Int { try #require(Int(server.address.split(separator: ":").last ?? "")) }

    /// Larger than what a link may leave unsent.
    @Test func aLargeResponse_ArrivesWhole() async throws {
        let body = [UInt8](repeating: 0x61, count: (20 << 20) + 7)
        let server = try WebServer(host: "", port: 0, WebServer.Site { _ in .response(HTTPResponse(body, type: "text/csv")) })
        try server.start()
        let text = try await ask(port(server), "GET /readings.csv HTTP/1.0\r\n\r\n")
        let head = try #require(text.range(of: "\r\n\r\n"))
        #expect(text[..<head.lowerBound].hasSuffix("Content-Length: \(body.count)"))
        #expect(text[head.upperBound...].utf8.count == body.count)
        server.stop()
    }

    /// It always reads, but the kernel's default buffer would have no room for longer than a client may be silent.
    @Test func aClientThatReadsSlowly_GetsAll() async throws {
        let body = [UInt8](repeating: 0x61, count: 6 << 20)
        let site = WebServer.Site { _ in .response(HTTPResponse(body, type: "text/csv")) }
        let server = try WebServer(host: "", port: 0, site, patience: .seconds(1))
        try server.start()
        let text = try await ask(port(server), "GET /readings.csv HTTP/1.0\r\n\r\n", pause: 30_000)
        #expect(text.utf8.count > body.count)
        server.stop()
    }

    /// A silent client is dropped meanwhile: so the answer took longer than a client may be silent.
    @Test func anAnswerThatTakesLong_IsSent() async throws {
        let gate = Gate(isOpen: false)
        let site = WebServer.Site { _ in
            gate.pass()
            return .response(HTTPResponse(Array("here\n".utf8), type: "text/plain"))
        }
        let server = try WebServer(host: "", port: 0, site, patience: .milliseconds(300))
        try server.start()
        let port = try port(server)
        async let answer = ask(port, "GET / HTTP/1.0\r\n\r\n")
        #expect(try await ask(port, "GET / HTTP/1.0\r\n").isEmpty)
        gate.set(open: true)
        #expect(try await answer.hasSuffix("here\n"))
        server.stop()
    }

    /// Opening and closing cuffs is left to other workers, and what nobody waits for any more is not computed.
    @Test func manyRequests_DelayNoCuff_AndThoseOfClientsThatLeft_AreSkipped() async throws {
        let (gate, busy, asked) = (Gate(isOpen: false), Gate(isOpen: false), Locked(0))
        let site = WebServer.Site { _ in
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            if count == 2 { busy.set(open: true) }
            gate.pass()
            return .response(HTTPResponse(Array("here\n".utf8), type: "text/plain"))
        }
        let server = try WebServer(host: "", port: 0, site)
        try server.start()
        let port = try port(server)
        let callers = try await onThread { try (0..<20).map { _ in try Self.sent(port, "GET / HTTP/1.0\r\n\r\n") } }
        #expect(try await onThread { busy.pass(within: .seconds(20)) })
        let done = Gate(isOpen: false)
        EventLoop.shared.async { EventLoop.shared.offload({}) { done.set(open: true) } }
        #expect(try await onThread { done.pass(within: .seconds(20)) }, "another worker is free")
        for descriptor in callers { close(descriptor) }
        // Answered without a worker, after the loop heard of the closed connections.
        #expect(try await ask(port, "POST / HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 405"))
        gate.set(open: true)
        #expect(try await ask(port, "GET / HTTP/1.0\r\n\r\n").hasSuffix("here\n"))
        #expect(asked.withLock { $0 } == 3)
        server.stop()
    }

    /// The maximum of connections send half a request each; a complete request is still answered.
    @Test func slowCallers_KeepNobodyOut() async throws {
        let site = WebServer.Site { _ in .response(HTTPResponse(Array("here\n".utf8), type: "text/plain")) }
        let server = try WebServer(host: "", port: 0, site)
        try server.start()
        let port = try #require(Int(server.address.split(separator: ":").last ?? ""))
        let slow = try await onThread { try (0..<60).map { _ in try Self.sent(port, "GET / HTTP/1.1\r\n") } }
        for _ in 0..<20 { #expect(try await ask(port, "GET / HTTP/1.0\r\n\r\n").hasSuffix("here\n")) }
        for descriptor in slow { close(descriptor) }
        let post = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300000\r\n\r\n" + String(repeating: "x", count: 300_000)
        #expect(try await ask(port, post).hasPrefix("HTTP/1.1 405"))
        server.stop()
    }

    /// Another program has the port first.
    @Test func aTakenPort_IsTriedAgain() async throws {
        let site = WebServer.Site { _ in .response(HTTPResponse(Array("here\n".utf8), type: "text/plain")) }
        let other = try WebServer(host: "", port: 0, site)
        try other.start()
        let address = try WebAddress(other.address)
        guard case .taken = PageProbe.look(at: address) else { return #expect(Bool(false), "not found to be taken") }
        let (told, served) = (Locked<[String]>([]), Gate(isOpen: false))
        let server = RetriedServer(address, { site }) { _ in
            served.set(open: true)
        } failed: { error in
            told.withLock { $0.append(error.description) }
        }
        server.start()
        #expect(told.withLock { $0 } == ["cannot listen on \(address): address already in use"])
        other.stop()
        #expect(try await onThread { served.pass(within: .seconds(20)) })
        #expect(try await ask(address.port, "GET / HTTP/1.0\r\n\r\n").hasSuffix("here\n"))
        server.stop()
        // Its descriptor is closed on a worker.
        let isFree = try await onThread {
            for _ in 0..<1000 {
                if case .free = PageProbe.look(at: address) { return true }
                usleep(10_000)
            }
            return false
        }
        #expect(isFree)
    }

    @Test func viewer_IsToldWhatHappens() async throws {
        let news = Locked<[UInt8]>([])
        let site = WebServer.Site(answer: { _ in .viewer }) {
            news.withLock { news in
                defer { news = [] }; return news
            }
        }
        let server = try WebServer(host: "", port: 0, site)
        try server.start()
        let port = try #require(Int(server.address.split(separator: ":").last ?? ""))
        let bound = LoopBound(server)
        async let told = ask(port, "GET /events HTTP/1.0\r\n\r\n") { text in
            // After the greeting the client is a viewer and receives events.
            if text.hasSuffix("retry: 2000\n\n") {
                news.withLock { $0 = Array("event: changed\ndata: {}\n\n".utf8) }
                EventLoop.shared.async { bound.value.newsArrived() }
            }
            return text.hasSuffix("data: {}\n\n")
        }
        #expect(try await told.hasSuffix("retry: 2000\n\nevent: changed\ndata: {}\n\n"))
        server.stop()
    }
}

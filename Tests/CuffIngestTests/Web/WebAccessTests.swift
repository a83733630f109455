import CuffCore
import Glibc
import TestSupport
import Testing

@testable import CuffIngest

@Suite struct WebAccessTests {
    private func request(_ target: String, host: String = "localhost", cookie: String? = nil) throws -> HTTPRequest {
        let text = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n" + (cookie.map { "Cookie: a=1; \($0); b=2\r\n" } ?? "") + "\r\n"
        return try HTTPRequest(Array(text.utf8), ownHost: "127.0.0.1")
    }

    @Test func withoutToken_OnlyThisComputer() throws {
        let access = WebAccess(file: TestFolder().file("web-token"))
        #expect(try access.refusal(request("/")) == nil)
        #expect(try access.refusal(request("/", host: "127.0.0.1:6025")) == nil)
        #expect(try access.refusal(request("/", host: "evil.example"))?.status.hasPrefix("403") == true)
        let open = WebAccess(file: TestFolder().file("web-token"), isLocal: false)
        #expect(try open.refusal(request("/"))?.status.hasPrefix("403") == true)
    }

    /// Also for a local client, which may be a reverse proxy.
    @Test(arguments: [true, false]) func withToken_EveryRequestNeedsIt(_ isLocal: Bool) throws {
        let folder = TestFolder()
        let path = folder.file("web-token")
        let token = try WebToken.renewed(at: path).text
        #expect(token.utf8.count == 64 && token.allSatisfy { "0123456789abcdef".contains($0) })
        let access = WebAccess(file: path, isLocal: isLocal)
        for target in ["/", "/events", "/api/state", "/api/readings?limit=3", "/metrics", "/?token="] {
            let refusal = try #require(try access.refusal(request(target)))
            #expect(refusal.status == "403 Forbidden" && String(decoding: refusal.body, as: UTF8.self).contains("`cuff web link`"))
        }
        // The link: the token moves into a cookie.
        let link = try #require(try access.refusal(request("/?token=\(token)", host: "cuff.example.org")))
        #expect(link.status == "303 See Other" && link.headers.first == "Location: /")
        let cookie = try #require(link.headers.last)
        #expect(cookie.hasPrefix("Set-Cookie: cuff_page=\(token); ") && cookie.hasSuffix("; HttpOnly; SameSite=Lax"))
        #expect(String(decoding: link.bytes(), as: UTF8.self).contains("\r\n\(cookie)\r\n"))
        for host in ["localhost", "192.168.1.5:6025", "cuff.example.org"] {
            #expect(try access.refusal(request("/events", host: host, cookie: "cuff_page=\(token)")) == nil)
        }
        let close = String(token.dropLast()) + (token.hasSuffix("0") ? "1" : "0")
        for wrong in [close, String(token.dropLast()), token + "0", token.uppercased() + "g", ""] {
            #expect(try access.refusal(request("/", cookie: "cuff_page=\(wrong)"))?.status.hasPrefix("403") == true)
        }
        // Revoked.
        let other = try WebToken.renewed(at: path).text
        #expect(other != token)
        #expect(try access.refusal(request("/", cookie: "cuff_page=\(token)")) != nil)
        #expect(try access.refusal(request("/", cookie: "cuff_page=\(other)")) == nil)
    }

    @Test func wrongTokens_AreLimited_AndTheRightOnePasses() throws {
        let folder = TestFolder()
        let path = folder.file("web-token")
        let token = try WebToken.renewed(at: path).text
        let time = Locked<Int64>(1)
        let access = WebAccess(file: path) { time.withLock { $0 } }
        let wrong = try request("/?token=0")
        let statuses = (0..<30).map { _ in access.refusal(wrong)?.status.prefix(3) }
        #expect(statuses == Array(repeating: "403", count: WebAccess.mostWrong) + Array(repeating: "429", count: 10))
        #expect(try access.refusal(request("/", cookie: "cuff_page=\(token)")) == nil)
        #expect(access.refusal(wrong)?.headers == ["Retry-After: 60"])
        time.withLock { $0 += 61_000_000_000 }
        #expect(access.refusal(wrong)?.status.prefix(3) == "403")
    }

    @Test func aTokenFile_IsPrivate_OrRefused() throws {
        let folder = TestFolder()
        let path = folder.file("state/web-token")
        #expect(try WebToken.stored(at: path) == nil)
        let token = try WebToken.renewed(at: path)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try WebToken.stored(at: path)?.text == token.text)
        chmod(path, 0o640)
        #expect(throws: IngestError.self) { try WebToken.stored(at: path) }
        #expect(try WebAccess(file: path).refusal(request("/"))?.status.hasPrefix("503") == true)
        chmod(path, 0o600)
        for text in ["", "0", String(repeating: "G", count: 64), token.text + "0"] {
            try StateFile.write(text, to: path)
            #expect(throws: IngestError.self) { try WebToken.stored(at: path) }
        }
    }
}

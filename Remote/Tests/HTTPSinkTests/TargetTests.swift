import HTTPClient
import RemoteSink
import Testing

@testable import HTTPSink

@Suite struct TargetTests {
    private static func url(_ address: String) throws -> String {
        let one = try reading(
            #"{"type":"blood_pressure","id":"a","driver":"x","systolic_mmHg":1,"diastolic_mmHg":1,"measured":"2026-05-05T07:31Z"}"#)
        return try HTTPTarget(address, host: "pi").format.request([one]).url
    }

    @Test(arguments: [
        ("influx+https://me@h/?db=a%26b", "https://h/write?db=a%26b&precision=ns"),
        ("influx+https://h:8086/base/?db=x&rp=two%20years", "https://h:8086/base/write?db=x&rp=two%20years&precision=ns"),
        ("influx+http://[::1]:8086/?org=O&bucket=B", "http://[::1]:8086/api/v2/write?org=O&bucket=B&precision=ns"),
        ("fhir+https://h/fhir/?subject=Patient/1", "https://h/fhir"),
        ("https://h/a%20b?x=%2B&flag&cafile=/ca.pem&y", "https://h/a%20b?x=%2B&flag&y"),
        ("https://h", "https://h"), ("https://h/?cafile=/ca.pem", "https://h/"),
    ]) func urls(address: String, url: String) throws { #expect(try Self.url(address) == url) }

    @Test(arguments: [
        "http://h/", "influx+http://192.168.1.2/?db=x", "ftp://h/", "influx+https://h/", "influx+https://h/?db=", "influx+https://h/?org=O",
        "influx+https://h/?db=x&org=O", "influx+https://h/?org=O&bucket=B&rp=x", "influx+https://h/?db=x&dbb=y", "fhir+https://h/",
        "fhir+https://h/?subject=", "fhir+https://h/?subject=Patient", "fhir+https://h/?subject=Patient/",
        "fhir+https://h/?subject=Patient/1&subject=Patient/2",
        "fhir+https://h/?subject.1=Patient/1&subject.1=Patient/2", "fhir+https://h/?subject.-1=Patient/1",
        "fhir+https://h/?subject.01=Patient/1",
        "fhir+https://h/?subject=Patient/1&profile=usual", "fhir+https://h/?subject=Patient/1&scope=x",
        "fhir+https://me@h/?subject=Patient/1&client=x",
        "fhir+https://h/?subject=Patient/1&client=x&tokenurl=http://other/", "https://me:secret@h/", "https:///x", "https://a b/",
        "https://h%2Fx/",
    ]) func faults(address: String) { #expect(throws: ConfigurationFault.self) { try HTTPTarget(address, host: "pi") } }

    @Test func whatTheAddressDoesNotTrust() throws {
        #expect(try HTTPTarget("https://h/?cafile=/a%20b.pem", host: "pi").caFile == "/a b.pem")
        #expect(try HTTPTarget("https://h/", host: "pi").caFile == nil)
        #expect(try !HTTPTarget("https://h/", host: "pi").isLoopback)
        #expect(try HTTPTarget("http://127.0.0.1/", host: "pi").isLoopback)
    }

    // RFC 4648 §10; RFC 9562 appendix A.4; the digest of "abc" from FIPS 180.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func base64(text: String, encoded: String) {
        #expect(Base64.string(Array(text.utf8)) == encoded)
        #expect(Base64.urlString(Array(text.utf8)) == String(encoded.prefix { $0 != "=" }))
    }

    @Test func base64ForURLs() { #expect(Base64.urlString([0xFB, 0xFF, 0xFE]) == "-__-" && Base64.string([0xFB, 0xFF, 0xFE]) == "+//+") }

    @Test func secrets_AreTakenOutOfWhatAServerRepeats() {
        let password = Authorization("Basic", "bnVyc2U6cGFzcyB3b3Jk", made: "pass word")
        #expect(password.value == "Basic bnVyc2U6cGFzcyB3b3Jk")
        let message = HTTPAnswer(400, location: "/?t=bnVyc2U6cGFzcyB3b3Jk", body: Array("x pass word y Basic bnVyc2U6cGFzcyB3b3Jk".utf8))
        #expect(password.redacted(message) == HTTPAnswer(400, location: "/?t=***", body: Array("x *** y Basic ***".utf8)))
    }
}

@Suite struct SMARTTests {
    @Test func theStatement_SaysWhoAsksWhom() throws {
        let grant = SMARTGrant(base: "https://h/fhir", client: "ward", scope: nil, keyID: "k1", tokenURL: "https://a/token")
        // Computed with Python's base64 and json.
        let head = "eyJhbGciOiJFUzM4NCIsImtpZCI6ImsxIiwidHlwIjoiSldUIn0"
        let claims =
            "eyJpc3MiOiJ3YXJkIiwic3ViIjoid2FyZCIsImF1ZCI6Imh0dHBzOi8vYS90b2tlbiIsImV4cCI6MTI0MCwiaWF0IjoxMDAwLCJqdGkiOiJyIn0"
        #expect(grant.statement(.es384, at: 1000, random: "r") == head + "." + claims)
        let request = grant.request(statement: "s", signature: [1])
        #expect(request.url == "https://a/token")
        #expect(
            request.body
                == "grant_type=client_credentials&scope=system%2FObservation.write%20system%2FDevice.write"
                + "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion=s.AQ")
    }

    @Test func aTokenLastsAsLongAsTheServerSays() {
        var grant = SMARTGrant(base: "", client: "c", scope: nil, keyID: nil, tokenURL: "https://a/")
        #expect(grant.authorization(at: 0) == nil)
        #expect(grant.accept(token: HTTPAnswer(200, body: Array(#"{"access_token":"t","expires_in":60}"#.utf8)), at: 100) == nil)
        #expect(grant.authorization(at: 144)?.value == "Bearer t")
        #expect(grant.authorization(at: 145) == nil)
        #expect(grant.authorization(at: 100) != nil)
        grant.forget()
        #expect(grant.authorization(at: 100) == nil)
    }

    @Test func withoutAToken_ItIsSaidWhy() {
        var grant = SMARTGrant(base: "", client: "c", scope: nil, keyID: nil, tokenURL: "https://a/")
        let refused = grant.accept(token: HTTPAnswer(400, body: Array(#"{"error":"invalid_client"}"#.utf8)), at: 0)
        guard case .misconfigured(let text) = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(text.contains("invalid_client"))
        guard case .unreachable = grant.accept(token: HTTPAnswer(503), at: 0) else {
            Issue.record("503")
            return
        }
        // A token that would break the header is refused.
        let bad = grant.accept(token: HTTPAnswer(200, body: Array(#"{"access_token":"a\r\nX: y"}"#.utf8)), at: 0)
        #expect(bad != nil && grant.authorization(at: 0) == nil)
    }

    @Test func discovery() throws {
        var grant = SMARTGrant(base: "https://h/fhir", client: "c", scope: nil, keyID: nil, tokenURL: nil)
        #expect(grant.discovery.url == "https://h/fhir/.well-known/smart-configuration")
        #expect(throws: ConfigurationFault.self) { try grant.accept(discovery: HTTPAnswer(404)) }
        #expect(throws: ConfigurationFault.self) {
            try grant.accept(discovery: HTTPAnswer(200, body: Array(#"{"token_endpoint":"http://elsewhere/t"}"#.utf8)))
        }
        try grant.accept(discovery: HTTPAnswer(200, body: Array(#"{"token_endpoint":"https://a/t"}"#.utf8)))
        #expect(grant.tokenURL == "https://a/t")
    }

    @Test func signatures_AreTwoNumbersOfOneLength() {
        #expect(SMARTGrant.joined(der: [0x30, 7, 2, 2, 0, 0x81, 2, 1, 5], size: 2) == [0, 0x81, 0, 5])
        for bad: [UInt8] in [
            [], [0x30], [0x30, 3, 2, 1, 5], [0x30, 8, 2, 2, 0, 0x81, 2, 1, 5], [0x30, 7, 2, 9, 0, 0x81, 2, 1, 5],
            [0x31, 6, 2, 1, 1, 2, 1, 1],
        ] {
            #expect(SMARTGrant.joined(der: bad, size: 2) == nil)
        }
    }
}

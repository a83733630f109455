import Testing

@testable import CuffIngest

@Suite struct JSONLineTests {
    private func line(_ text: String) -> JSONLine? { JSONLine(Array(text.utf8)[...]) }

    @Test func values_AreTakenApart() throws {
        let found = try #require(
            line(#" {"a":"x\"\\\/\n\u00e9\ud83d\ude00","n":-12.5e1,"t":true,"z":null,"l":["p","q",3],"o":{"k":[{}]},"a2":""} "#))
        #expect(found.text("a") == "x\"\\/\né😀" && found.text("a2") == "")
        #expect(found.number("n") == -125 && found.list("l") == ["p", "q"])
        #expect(found.values["t"] == .flag(true) && found.values["z"] == .other && found.values["o"] == .other)
        #expect(found.text("n") == nil && found.number("a") == nil && found.list("missing").isEmpty)
    }

    @Test(arguments: [
        "", "{", "}", "[]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1}x", "{\"a\":0x10}", "{\"a\":nan}", "{\"a\":1e999}",
        "{\"a\":\"\u{01}\"}",
        "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"", "{\"a\":[1,2}", "{a:1}", "{\"a\":tru}", "{\"a\":1 2}",
    ]) func brokenObjects_AreNone(_ text: String) { #expect(line(text) == nil) }

    @Test func everyCutOfALine_IsRefused() {
        let text = #"{"type":"blood_pressure","flags":["invalid"],"o":{"k":[1,"\u00e9"]},"systolic_mmHg":128}"#
        for length in 0..<text.utf8.count { #expect(JSONLine(Array(text.utf8).prefix(length)) == nil, "\(length)") }
        #expect(line(text) != nil)
    }

    @Test func depth_HasALimit() {
        func nested(_ depth: Int) -> String { String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth) }
        #expect(line(nested(32)) != nil)
        #expect(line(nested(33)) == nil && line(nested(100_000)) == nil)
        #expect(line("{\"a\":" + String(repeating: "[", count: 100_000) + "}") == nil)
    }
}

import Testing

@testable import CuffCore

@Suite struct JSONReaderTests {
    private func line(_ text: String) -> JSONValue? { JSONValue(Array(text.utf8)[...]) }

    @Test func values_AreTakenApart() throws {
        let found = try #require(
            line(#" {"a":"x\"\\\/\n\u00e9\ud83d\ude00","n":-12.5e1,"t":true,"z":null,"l":["p","q",3],"o":{"k":[{}]},"a2":""} "#))
        #expect(found["a"]?.text == "x\"\\/\né😀" && found["a2"]?.text == "")
        #expect(found["n"]?.number == -125 && found["l"]?.list == [.text("p"), .text("q"), .number("3")])
        #expect(found["t"] == .bool(true) && found["z"] == .null && found["o"] == .object(["k": .list([.object([:])])]))
        #expect(found["n"]?.text == nil && found["a"]?.number == nil && found["missing"] == nil && found.list == nil)
    }

    @Test(arguments: [
        "", "{", "}", "[", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1,\"a\":1}", "{\"a\":1}x", "{\"a\":0x10}", "{\"a\":nan}",
        "{\"a\":1e999}",
        "{\"a\":\"\u{01}\"}",
        "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"", "{\"a\":[1,2}", "{a:1}", "{\"a\":tru}", "{\"a\":1 2}",
    ]) func brokenObjects_AreNone(_ text: String) { #expect(line(text) == nil) }

    @Test func everyCutOfALine_IsRefused() {
        let text = #"{"type":"blood_pressure","flags":["invalid"],"o":{"k":[1,"\u00e9"]},"systolic_mmHg":128}"#
        for length in 0..<text.utf8.count { #expect(JSONValue(Array(text.utf8).prefix(length)) == nil, "\(length)") }
        #expect(line(text) != nil)
    }

    @Test func depth_HasALimit() {
        func nested(_ depth: Int) -> String { String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth) }
        #expect(line(nested(32)) != nil)
        #expect(line(nested(33)) == nil && line(nested(100_000)) == nil)
        #expect(line("{\"a\":" + String(repeating: "[", count: 100_000) + "}") == nil)
    }
}

@Suite struct JSONObjectTests {
    @Test(arguments: [
        "{}", "{\"a\":1}", "{\"a\":[],\"b\":{\"c\":[1,-2.5e3,\"x\"]},\"d\":true,\"e\":null}", "{\"a\":\"\\\"}\\\\\"}", "{ \"a\" : 1 }",
    ])
    func whole_IsAnObject(_ text: String) {
        #expect(Array(text.utf8).withUnsafeBytes { JSONReader.isObject($0) })
        for length in 0..<text.utf8.count {
            #expect(!Array(text.utf8.prefix(length)).withUnsafeBytes { JSONReader.isObject($0) }, "\(length)")
        }
    }

    @Test(arguments: [
        "", "[]", "{}}", "{}{}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":[1}", "{\"a\":1]}", "{\"a\":x}", "{\"a\":1}\n",
        "{\"a\":\"\n\"}",
        "{\"a\":\"x{\"a\":1}", "{\"a\":1 2}", "{,}", "{\"a\":[,]}",
    ])
    func other_IsNot(_ text: String) {
        #expect(!Array(text.utf8).withUnsafeBytes { JSONReader.isObject($0) })
    }
}

import Glibc
import Testing

@testable import RemoteSink

@Suite struct ProtocolTests {
    static let line = #"""
        {"type":"blood_pressure","schema":1,"id":"20260505T073130-d33c245d2be4b540","driver":"phd","device":"00091ffffe000101","systolic_kPa":16.0,"systolic_mmHg":120.01,"user":1,"flags":["irregular_pulse"],"measured":"2026-05-05T07:33:00+02:00","revision":2}
        """#

    @Test func reading_KeepsItsDigits() throws {
        let reading = try #require(ReadingLine(Array(Self.line.utf8)))
        #expect(reading.json == Self.line)
        #expect(reading.id == "20260505T073130-d33c245d2be4b540")
        #expect(reading.revision == 2)
        #expect(reading["systolic_kPa"]?.digits == "16.0")
        #expect(reading.user == 1)
        #expect(reading.flags == ["irregular_pulse"])
        #expect(reading.measured == "2026-05-05T07:33:00+02:00")
        #expect(!reading.isPending && !reading.isFailure)
    }

    @Test func pendingReading_HasTheTypeThatItWillHave() throws {
        let reading = try #require(ReadingLine(Array(#"{"type":"pending","of":"blood_pressure","schema":1,"id":"a"}"#.utf8)))
        #expect(reading.isPending && reading.type == "blood_pressure" && reading.revision == 0)
        #expect(reading.device == nil && reading.measured == nil && reading.user == nil)
    }

    @Test(arguments: [
        "", "1", "[]", "{}", #"{"id":"a"}"#, #"{"type":"x"}"#, #"{"id":"a b","type":"x"}"#, #"{"id":"","type":"x"}"#,
        #"{"id":"a","type":"x","revision":-1}"#, #"{"id":"a","type":"x","revision":"1"}"#, #"{"id":"a","type":"x","revision":1.5}"#,
        #"{"id":"a","type":"x"} {}"#, #"{"id":"a","type":"x""#, "{\"id\":\"a\",\"type\":\"x\u{1}\"}", #"{"id":"a\n","type":"x"}"#,
    ]) func otherLines_AreNoReadings(line: String) { #expect(ReadingLine(Array(line.utf8)) == nil) }

    @Test(arguments: [
        ("0", "0"), ("-1.50", "-1.50"), ("1e5", "1e5"), ("12.0E-3", "12.0E-3"), ("01", nil), ("1.", nil), (".5", nil), ("+1", nil),
        ("NaN", nil), ("-", nil), ("1e", nil),
    ]) func numbers(text: String, digits: String?) { #expect(JSONValue(parsing: Array(text.utf8))?.digits == digits) }

    @Test func strings_AreDecoded_AndQuotedAgain() {
        #expect(JSONValue(parsing: Array(#""a\"\\\/\b\f\n\r\té😀\u00fc""#.utf8))?.string == "a\"\\/\u{8}\u{C}\n\r\té😀ü")
        #expect(JSONValue(parsing: Array(#""\ud83d\ude00""#.utf8))?.string == "😀")
        for text in [#""\ud83d""#, #""\udc00""#, #""\u12""#, #""\x""#, "\"", "\"\u{9}\""] {
            #expect(JSONValue(parsing: Array(text.utf8)) == nil, "\(text)")
        }
        #expect(JSONValue(parsing: [0x22, 0xFF, 0x22]) == nil)
        #expect(JSONValue.quoted("a\"b\\c\n\u{1}é") == #""a\"b\\c\n\u0001é""#)
    }

    @Test func nesting_HasALimit() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(JSONValue(parsing: Array(deep.utf8)) == nil)
        let some = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
        #expect(JSONValue(parsing: Array(some.utf8)) != nil)
    }

    @Test func answers_AreOneLineEach() {
        #expect(Answer.ready.line == "ready 1\n")
        #expect(Answer.readyForDeletions.line == "ready 1 deletions\n" && Answer.readyForDeletions.status == nil)
        #expect(Answer.ok(id: "a", revision: 0).line == "ok a 0\n")
        #expect(Answer.refuse(id: "a", revision: 2, "x\ny\r").line == "refuse a 2 x y \n")
        #expect(Answer.later(String(repeating: "é", count: 300)).line.utf8.count == "later \n".utf8.count + 200)
    }

    @Test func lines_AreFoundInAnyChunks() throws {
        let text = Self.line + "\nnonsense\n" + Self.line + "\n"
        for size in [1, 2, 7, 100, 10_000] {
            let conversation = Conversation(input: -1, output: -1)
            var found: [Conversation.Input] = []
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                found += conversation.accept(bytes[start..<min(start + size, bytes.count)])
            }
            let reading = try #require(ReadingLine(Array(Self.line.utf8)))
            #expect(found == [.reading(reading), .unreadable, .reading(reading)], "\(size)")
        }
    }

    @Test func endlessLine_IsDroppedAndTheNextOneIsRead() throws {
        let conversation = Conversation(input: -1, output: -1)
        let chunk = [UInt8](repeating: 0x20, count: 1 << 19)
        for _ in 0..<5 { #expect(conversation.accept(chunk[...]) == []) }
        let reading = try #require(ReadingLine(Array(Self.line.utf8)))
        #expect(conversation.accept(Array((Self.line + "\n" + Self.line + "\n").utf8)[...]) == [.unreadable, .reading(reading)])
    }

    @Test func nothing_IsSaidAfterTheLastWord() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let conversation = Conversation(input: -1, output: ends[1])
        conversation.answer([.ready, .later("away"), .ok(id: "a", revision: 0)])
        conversation.answer(.ok(id: "b", revision: 0))
        close(ends[1])
        var room = [UInt8](repeating: 0, count: 200)
        let count = read(ends[0], &room, 200)
        close(ends[0])
        #expect(String(decoding: room.prefix(max(0, count)), as: UTF8.self) == "ready 1\nlater away\n")
        #expect(conversation.isOver)
    }
}

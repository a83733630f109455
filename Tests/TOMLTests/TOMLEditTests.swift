import Testing

@testable import TOML

/// Edits change the bytes of one value or line and leave comments and layout alone.
@Suite struct TOMLEditTests {
    private static let text = """
        # the two cuffs
        [device.desk]   # front desk
        match = "port:1-1.2"
        users = { 1 = "Anna", 2 = "Ben" } # by name

        [device."living room"]
        match = "/dev/ttyUSB0" # the old one

        # sinks
        [sink.home]
        sqlite = "/var/lib/cuff/readings.db"

        """

    private func document(_ text: String = text) throws -> TOMLDocument { try TOMLDocument(Array(text.utf8)) }
    private func text(_ document: TOMLDocument) -> String { String(decoding: document.text, as: UTF8.self) }

    @Test func aValue_IsReplacedInPlace() throws {
        let edited = try document().setting(["device", "desk", "match"], to: TOMLDocument.quoted("usb:0403:6001"))
        #expect(text(edited) == Self.text.replacing("\"port:1-1.2\"", with: "\"usb:0403:6001\""))
        let users = try document().setting(["device", "desk", "users"], to: "{ 1 = \"Anna\" }")
        #expect(text(users) == Self.text.replacing("{ 1 = \"Anna\", 2 = \"Ben\" }", with: "{ 1 = \"Anna\" }"))
    }

    @Test func aNewKey_ComesBehindTheLastOfItsSection() throws {
        let edited = try document().setting(["device", "living room", "ignore"], to: "true")
        #expect(text(edited) == Self.text.replacing("# the old one\n", with: "# the old one\nignore = true\n"))
    }

    @Test func aNewSection_ComesAtTheEnd() throws {
        let edited = try document().setting(["device", "wrist cuff", "match"], to: "\"port:1-1.3\"")
        #expect(text(edited) == Self.text + "\n[device.\"wrist cuff\"]\nmatch = \"port:1-1.3\"\n")
        #expect(try text(document("").setting(["a", "b"], to: "1")) == "[a]\nb = 1\n")
        #expect(try text(document("x = 1").setting(["a", "b"], to: "1")) == "x = 1\n\n[a]\nb = 1\n")
        #expect(try text(document("[a]").setting(["top"], to: "1")) == "top = 1\n[a]")
        #expect(try text(document("[a]").setting(["a", "b"], to: "1")) == "[a]\nb = 1\n")
    }

    @Test func removing_TakesTheLines_AndNoOthers() throws {
        #expect(try text(document().removing(["device", "desk", "match"])) == Self.text.replacing("match = \"port:1-1.2\"\n", with: ""))
        let section = try text(document().removing(["device", "living room"]))
        #expect(section == Self.text.replacing("[device.\"living room\"]\nmatch = \"/dev/ttyUSB0\" # the old one\n", with: ""))
        #expect(try text(document().removing(["device", "nowhere", "match"])) == Self.text)
        #expect(try text(document().removing(["device", "desk", "users", "1"])) == Self.text)
    }

    @Test func aSectionIsNotAValue_AndTheOtherWayRound() throws {
        #expect(throws: TOMLFault(line: 2, reason: "`desk` is a section")) { try document().setting(["device", "desk"], to: "1") }
        #expect(throws: TOMLFault(line: 3, reason: "`match` is a value")) {
            try document().setting(["device", "desk", "match", "x"], to: "1")
        }
        #expect(throws: TOMLFault(line: 4, reason: "`users` is a value")) {
            try document().setting(["device", "desk", "users", "3"], to: "\"Cleo\"")
        }
        #expect(throws: TOMLFault.self) { try document().setting(["sink", "home", "sqlite"], to: "\"unfinished") }
    }

    @Test func quoted_ReadsBack() throws {
        for text in ["", "a\"b\\c", "tab\tnew\nline\u{7F}\u{0}", "Größe ☂"] {
            let read = try document("a = \(TOMLDocument.quoted(text))").root["a"]
            #expect(read?.string == text)
        }
    }

    @Test func anArray_ChangesByTheElement() throws {
        let text = "[a]\nb = [ # first\n  'x', # an x\n  \"y # no comment\",\n  \"z\\\"\"] # end\n"
        let array = try document(text)
        #expect(
            try self.text(array.settingElement(1, of: ["a", "b"], to: "é\"")) == text.replacing("\"y # no comment\"", with: "\"é\\\"\""))
        #expect(try self.text(array.settingElement(0, of: ["a", "b"], to: nil)) == text.replacing("'x', # an x", with: "# an x"))
        let last = try array.settingElement(2, of: ["a", "b"], to: nil)
        #expect(last.root["a"]?.table?["b"]?.array?.compactMap(\.string) == ["x", "y # no comment"])
        #expect(try self.text(array.prepending("n", to: ["a", "b"])) == text.replacing("[ # first", with: "[\"n\",  # first"))
        #expect(throws: TOMLFault.self) { try array.settingElement(3, of: ["a", "b"], to: "x") }
        #expect(try self.text(document("").prepending("n", to: ["a", "b"])) == "[a]\nb = [\"n\"]\n")
        #expect(try self.text(array.settingElement(0, of: ["a", "c"], to: "x")) == text)
    }

    @Test func aSection_GetsAnotherName() throws {
        let edited = try document().renaming(["device", "living room"], to: "hall")
        #expect(text(edited) == Self.text.replacing("[device.\"living room\"]", with: "[device.hall]"))
        #expect(try text(document().renaming(["device", "attic"], to: "hall")) == Self.text)
        #expect(throws: TOMLFault.self) { try document().renaming(["device", "desk"], to: "living room") }
        #expect(throws: TOMLFault.self) { try document("a.b.c = 1\n").renaming(["a", "b"], to: "x") }
    }
}

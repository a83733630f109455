import CuffCore
import Testing

/// Text from outside cannot control a terminal.
@Suite struct TerminalTextTests {
    /// ESC, CSI as one character, DEL, the controls of direction, the separators of lines.
    private static let obeyed: [UInt32] = [
        0x00, 0x07, 0x08, 0x0D, 0x1B, 0x7F, 0x80, 0x9B, 0x9D, 0x9F, 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069,
    ]

    @Test(arguments: obeyed)
    func whatATerminalObeys_IsReplaced(_ value: UInt32) throws {
        let scalar = String(Character(try #require(Unicode.Scalar(value))))
        #expect(TerminalText.clean("a\(scalar)31mb") == "a?31mb")
        var text = TextBuffer()
        text.append(string: "\(scalar)|")
        let start = text.count
        text.append(string: "12\(scalar)8")
        TerminalText.clean(&text, from: start)
        #expect(text.string == "\(scalar)|12?8")
        // JSON keeps it, escaped.
        var json = TextBuffer()
        json.append(jsonString: "a\(scalar)b")
        var hex = String(value, radix: 16)
        while hex.count < 4 { hex = "0" + hex }
        #expect(json.string == "\"a\\u\(hex)b\"")
    }

    @Test(arguments: ["", "plain\ttext\n", "Größe – „Übung“ … 128/82", "血压 שלום", "\u{A0}\u{AD}€\u{D8}؛\u{061B}\u{2070}\u{2027}\u{202F}"])
    func anyOtherText_Stays(_ text: String) {
        #expect(TerminalText.clean(text) == text)
        var json = TextBuffer()
        json.append(jsonString: text)
        #expect(json.string == "\"\(text.replacing("\t", with: "\\t").replacing("\n", with: "\\n"))\"")
    }
}

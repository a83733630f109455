/// Makes text of any source safe for a terminal. Replaces control characters of ASCII and Unicode (U+009B begins a command as ESC does),
/// direction characters (which can reorder numbers) and line and paragraph separators; keeps line feeds and tabs.
package enum TerminalText {
    /// The text with `?` for each such character.
    package static func clean(_ text: String) -> String {
        var text = text
        guard text.withUTF8({ isSuspicious(UnsafeRawBufferPointer($0)) }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars { result.unicodeScalars.append(isObeyed(scalar) ? "?" : scalar) }
        return result
    }

    /// Cleans what was appended to `text` after its length was `start`.
    package static func clean(_ text: inout TextBuffer, from start: Int = 0) {
        let found = text.withBytes { bytes -> String? in
            let part = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(max(0, start)))
            return isSuspicious(part) ? String(decoding: part, as: UTF8.self) : nil
        }
        guard let found else { return }
        text.truncate(to: start)
        text.append(string: clean(found))
    }

    static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether a first byte of such a character occurs.
    private static func isSuspicious(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var found: UInt8 = 0
        for byte in bytes {
            found |= byte < 0x20 && byte != 0x0A && byte != 0x09 ? 1 : 0
            found |= byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2 ? 1 : 0
        }
        return found != 0
    }
}

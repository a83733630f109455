/// The head of an answer, line by line as libcurl tells it. libcurl takes an answer that ends with its status line, or anywhere in its
/// head, for a whole one; RFC 9112 §8 calls it incomplete.
public struct AnswerHead: Sendable, Equatable {
    private var isEnded = false
    /// Of HTTP/1.1 the end of the connection ends a body only where it was announced: a server that closes must say so (§9.6).
    private var needsLength = false
    private var tellsLength = false

    public init() {}

    /// One line with its line end, if it has one; the last may be cut off.
    public mutating func take(_ line: some Collection<UInt8>) {
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // Interim answers have heads of their own, and bodies end by themselves in HTTP/2 and 3.
            self = AnswerHead()
            let words = text.split(whereSeparator: \.isWhitespace)
            needsLength = words[0] == "HTTP/1.1" && !(words.count > 1 && (words[1] == "204" || words[1] == "304"))
        } else if text == "\r\n" || text == "\n" {
            isEnded = true
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].lowercased()
            switch text[..<colon].lowercased() {
            case "content-length", "transfer-encoding": tellsLength = true
            case "connection": if value.contains("close") { tellsLength = true }
            default: break
            }
        }
    }

    /// What came is not only the beginning of an answer.
    public var isWhole: Bool { isEnded && (tellsLength || !needsLength) }
}

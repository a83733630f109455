/// The head of a response, line by line from libcurl. libcurl accepts a response that ends after its status line, or anywhere in its
/// head, as complete; RFC 9112 §8 calls it incomplete.
public struct AnswerHead: Sendable, Equatable {
    private var isEnded = false
    /// In HTTP/1.1 a close ends the body only if the server announced it with `Connection: close` (§9.6).
    private var needsLength = false
    private var tellsLength = false

    public init() {}

    /// One line with its line end, if it has one; the last may be cut off.
    public mutating func take(_ line: some Collection<UInt8>) {
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // Interim responses have separate heads. HTTP/2 and 3 frame the body.
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

    /// The response was not cut off.
    public var isWhole: Bool { isEnded && (tellsLength || !needsLength) }
}

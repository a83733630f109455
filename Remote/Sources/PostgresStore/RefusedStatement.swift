import RemoteSink

/// Keeps messages that cannot be stored as readings. Idempotent.
public enum RefusedStatement {
    public static let insert = """
        INSERT INTO cuff.refused (digest, routing_key, body, reason)
        SELECT DISTINCT ON (1) sha256(convert_to(e->>0, 'UTF8') || '\\x00'::bytea || decode(e->>1, 'hex')), e->>0, decode(e->>1, 'hex'), e->>2
        FROM jsonb_array_elements($1::jsonb) AS e ORDER BY 1
        ON CONFLICT (digest) DO NOTHING
        """

    /// A JSON array of `[routing key, body in hex, reason]`.
    public static func parameter(_ items: [(routingKey: String, body: [UInt8], reason: String)]) -> String {
        let parts = items.map {
            "[\(JSONValue.quoted(text($0.routingKey))),\"\(hex($0.body))\",\(JSONValue.quoted(text(Answer.oneLine($0.reason))))]"
        }
        return "[\(parts.joined(separator: ",\n"))]"
    }

    /// jsonb cannot contain NUL.
    private static func text(_ words: String) -> String { words.contains("\0") ? words.replacing("\0", with: "\u{FFFD}") : words }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

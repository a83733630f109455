import HTTPClient

/// The value of the `Authorization` header.
public struct Authorization: Sendable, Equatable {
    public let value: String
    private let secrets: [[UInt8]]

    /// - Parameter secret: what `value` was made from, if they differ.
    init(_ scheme: String, _ value: String, made secret: String? = nil) {
        self.value = "\(scheme) \(value)"
        secrets = [value, secret].compactMap { $0 }.filter { !$0.isEmpty }.map { Array($0.utf8) }
    }

    /// Server messages are shown to users and may echo the request: masks the secret in them.
    public func redacted(_ answer: HTTPAnswer) -> HTTPAnswer {
        guard !answer.isSuccess else { return answer }
        return HTTPAnswer(
            answer.status, contentType: answer.contentType,
            location: answer.location.map { String(decoding: redacted(Array($0.utf8)), as: UTF8.self) },
            retryAfter: answer.retryAfter, body: redacted(answer.body))
    }

    private func redacted(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.first {
            if let secret = secrets.first(where: { rest.starts(with: $0) }) {
                result += Array("***".utf8)
                rest = rest.dropFirst(secret.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}

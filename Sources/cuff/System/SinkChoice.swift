import ArgumentParser
import CuffIngest

enum SinkChoice {
    static var spellings: String { SinkKind.all.map(\.spelling).joined(separator: ", ") }
    static let completion = CompletionKind.list(SinkKind.all.map { $0.operand.isEmpty ? $0.scheme : "\($0.scheme):" })
}

import CuffCore

extension JSONOutput {
    /// One line of the JSON vocabulary, without `nil` members.
    package static func line(_ type: String, _ members: (String, JSONOutput?)...) -> String { line(type, members) }
}

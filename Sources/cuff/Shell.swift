/// Commands that are suggested to the user.
enum Shell {
    /// The word in single quotes, which a shell takes as it is: names come from files and from those who sent them.
    static func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }
}

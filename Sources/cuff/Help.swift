import ArgumentParser

/// The texts of `--help`. `.ci/manual` generates the EXAMPLES of manual pages from them.
enum Help {
    /// `--record`, for verbs that use a cuff.
    static let record = ArgumentHelp("Also save the bytes of both directions to this file.", valueName: "file")
    /// For verbs with clinical numbers; the README and the report say the same.
    static let intendedUse =
        "Intended use: a tool to read and keep one's own data. It is not a medical device. Do not base doses or treatment on it."
    /// `--keep-patient`, for verbs that receive what a monitor sends, or a recording of it.
    static let keepPatient: ArgumentHelp =
        "Keep the patient's number, where a monitor sends it (hl7-oru), in the database's column `patient`."

    /// A discussion, followed by example commands with their explanations.
    static func text(_ discussion: String, _ examples: KeyValuePairs<String, String>) -> String { discussion + "\n\n" + text(examples) }

    /// Examples alone.
    static func text(_ examples: KeyValuePairs<String, String>) -> String {
        "EXAMPLES:\n" + examples.map { "  \($0.key)\n      \($0.value)" }.joined(separator: "\n")
    }
}

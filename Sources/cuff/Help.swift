import ArgumentParser

/// The texts of `--help`. `.ci/manual` generates the EXAMPLES of manual pages from them.
enum Help {
    /// `--record`, for verbs that use a cuff.
    static let record = ArgumentHelp("Also save the bytes of both directions to this file.", valueName: "file")
    /// `--tz`, for verbs that read recorded bytes.
    static let clockZone = ArgumentHelp(
        "The time zone of the cuff's clock, for readings with a device time (default: none is applied).", valueName: "zone")
    /// For verbs with clinical numbers; the README and the report say the same.
    static let intendedUse =
        "Intended use: a tool to read and keep one's own data. It is not a medical device. Do not base doses or treatment on it."
    /// `--keep-patient`, for verbs that receive what a monitor sends, or a recording of it.
    static let keepPatient: ArgumentHelp =
        "Keep the patient's number, where a monitor sends it (hl7-oru), in the database's column `patient`."

    /// A discussion, if any, followed by example commands with their explanations.
    static func text(_ discussion: String, _ examples: KeyValuePairs<String, String>) -> String {
        (discussion.isEmpty ? "" : discussion + "\n\n") + "EXAMPLES:\n"
            + examples.map { "  \($0.key)\n      \($0.value)" }.joined(separator: "\n")
    }
}

extension CommandConfiguration {
    /// A verb of `cuff`, with its examples.
    init(
        verb name: String, _ abstract: String, _ discussion: String = "", examples: KeyValuePairs<String, String>,
        subcommands: [any ParsableCommand.Type] = [], defaultSubcommand: (any ParsableCommand.Type)? = nil, aliases: [String] = []
    ) {
        self.init(
            commandName: name, _superCommandName: Cuff.name, abstract: abstract, discussion: Help.text(discussion, examples),
            subcommands: subcommands, defaultSubcommand: defaultSubcommand, aliases: aliases)
    }

    /// A verb of a verb, such as `cuff db backup`.
    init(part name: String, _ abstract: String, _ discussion: String = "", examples: KeyValuePairs<String, String>) {
        self.init(commandName: name, abstract: abstract, discussion: Help.text(discussion, examples))
    }
}

import ArgumentParser
import CuffCore
import CuffIngest

/// The texts of `--help`. The manual pages take their EXAMPLES from the same lines (`.ci/manual`).
enum Help {
    /// `--record`: any verb that talks with a cuff can save what was said.
    static let record = ArgumentHelp("Also save the bytes of both directions to this file.", valueName: "file")
    /// `--keep-patient`, of the verbs that take what a monitor sends unasked, or a recording of that.
    static let keepPatient: ArgumentHelp =
        "Keep the patient's number, where a monitor sends it (hl7-oru), in the database's column `patient`."

    /// A verb's discussion, and below it the commands that show how it is used, each with what it does.
    static func text(_ discussion: String = "", _ examples: KeyValuePairs<String, String>) -> String {
        let lines = examples.map { "  \($0.key)\n      \($0.value)" }
        return (discussion.isEmpty ? [] : [discussion]).joined() + (discussion.isEmpty ? "" : "\n\n") + "EXAMPLES:\n"
            + lines.joined(separator: "\n")
    }
}

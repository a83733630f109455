/// A program that delivers readings: `[source.NAME]`, or `--source exec:PROGRAM`.
package struct SourcePlan: Sendable, Hashable, CustomStringConvertible {
    /// NAME of the section, else the file name of the program; the identity of its readings, unless they name a device.
    package var name: String
    /// The program and its arguments, as after `exec:`.
    package var command: String
    let words: [String]

    /// `text` is `exec:PROGRAM [ARGUMENT…]`. Throws why it is not.
    package init(_ text: String, name: String? = nil) throws(IngestError) {
        guard text.hasPrefix("exec:") else { throw IngestError(SourceFault.notAProgram(text)) }
        command = String(text.dropFirst("exec:".count))
        words = try CommandPeer.words(command)
        self.name = name ?? String(words[0].split(separator: "/").last ?? "source")
    }

    func find() throws(IngestError) {
        guard CommandPeer.find(words[0]) != nil else { throw IngestError(SourceFault.noProgram(words[0])) }
    }

    package var description: String { "exec:\(command)" }
}

package enum SourceFault: Fault {
    case notAProgram(String)
    case noProgram(String)
    /// Two sources of one name would have readings of one cuff.
    case sameName(String)
    case once
    /// Nothing would be acknowledged.
    case notDurable

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .notAProgram(let text): (.usage, "`\(text)` is not a source; write exec:PROGRAM")
        case .noProgram(let program): (.usage, "cannot run `\(program)`: there is no such program")
        case .sameName(let name): (.usage, "two sources are named `\(name)`; give each a section [source.NAME]")
        case .once: (.usage, "--source waits for readings and --once ends")
        case .notDurable: (.usage, "a source needs a durable sink, such as sqlite:FILE: its readings are acknowledged when they are stored")
        }
    }
}

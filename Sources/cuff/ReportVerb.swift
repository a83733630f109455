import ArgumentParser
import CuffCore
import CuffIngest

struct ReportVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Makes the page to take to the doctor: chart, averages, readings, and what was left out.",
        discussion: Help.text(
            """
            One HTML file that loads nothing; print it from the browser. It is written only when it is whole. Each \
            user of a cuff gets a section of their own; --user chooses one.
            """,
            [
                "cuff report --since 30d": "The last thirty days, into report.html.",
                "cuff report --user 1 --person \"A. Example\" -o - > page.html": "The page of user 1, with a name on it.",
            ]))

    @OptionGroup var selected: SelectionOptions
    @Option(name: .shortAndLong, help: ArgumentHelp("The file; `-` is standard output.", valueName: "file"), completion: .file())
    var output = "report.html"
    @Flag(name: .shortAndLong, help: "Replace an existing file.") var force = false
    @Option(help: ArgumentHelp("Patient name to print; with readings of several users, choose one with --user.", valueName: "name"))
    var person = ""
    @Flag(help: "Leave out readings with movement, a loose cuff or a wrong position.") var undisturbed = false

    func run() throws {
        let (counted, leftOut) = try HealthRuns.report(
            try selected.store(), try selected.readingSelection("report"), person: person, excludesDisturbed: undisturbed,
            generator: "cuff \(Cuff.version)", to: try OutputFile(output, replaces: force))
        if output != "-" { Terminal.say("cuff: \(output): \(Plural.text(counted, "reading")), \(leftOut) left out") }
    }
}

/// Why an export is refused. The sentences are made where they are shown.
public enum ExportFault: Error, Sendable, Hashable {
    /// No format has this name.
    case unknownExporter(String, known: [String])
    /// The format has no such option.
    case optionNotTaken(option: String, exporter: String)
    /// The option has other words.
    case unknownWord(option: String, value: String, words: [String])
    /// The option may be given once.
    case repeated(option: String)
    /// The format needs the option.
    case missing(option: String, exporter: String)
    /// The value is not a number that the option takes.
    case notANumber(option: String, value: String)
    /// The low limit of the pulse is not below the high one.
    case limitsCross
    /// A value that is not `N=REFERENCE` or `REFERENCE`.
    case notAReference(String)
    /// A search, which only a server can resolve, in a format that is not sent to a server.
    case conditionalReference(String)
    /// The user slot has two subjects, or there is also a subject for all users.
    case subjectTwice(String)
    /// The format cannot hold what was selected by name.
    case noPlace(type: String, exporter: String)
    /// Only events are selected; an incremental export needs readings or series, which have ids.
    case eventsAlone
    /// The format has no zip layout, or the output is not a file.
    case noArchive(exporter: String)
    /// The zip file would be larger than its format allows, 4 GB.
    case archiveTooLarge
}

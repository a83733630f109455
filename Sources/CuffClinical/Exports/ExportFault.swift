/// Why an export is refused. The sentences are made where they are shown.
public enum ExportFault: Error, Sendable, Hashable {
    case unknownExporter(String, known: [String])
    case optionNotTaken(option: String, exporter: String)
    case unknownWord(option: String, value: String, words: [String])
    case repeated(option: String)
    case missing(option: String, exporter: String)
    case notANumber(option: String, value: String)
    /// The low limit of the pulse is not below the high one.
    case limitsCross
    /// A value that is not `N=REFERENCE` or `REFERENCE`.
    case notAReference(String)
    /// A search, which only a server can resolve, in a format that is not sent to a server.
    case conditionalReference(String)
    /// The user slot has two subjects, or there is also a subject for all users.
    case subjectTwice(String)
    case noPlace(type: String, exporter: String)
    /// Only events are selected; an incremental export needs readings or series, which have ids.
    case eventsAlone
    /// The format has no zip layout, or the output is not a file.
    case noArchive(exporter: String)
    /// The zip file would be larger than its format allows, 4 GB.
    case archiveTooLarge
}

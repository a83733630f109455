/// Why an export cannot be made as it was asked for. Sentences are made where they are shown.
public enum ExportFault: Error, Sendable, Hashable {
    /// No format has this name.
    case unknownExporter(String, known: [String])
    /// The format has no such option.
    case optionNotTaken(option: String, exporter: String)
    /// The option takes other words.
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
    /// A search stands where only a server could resolve it, and no server sees it.
    case conditionalReference(String)
    /// The user slot has two subjects, or there is one for everybody beside it.
    case subjectTwice(String)
    /// What was asked for by name has no place in the format.
    case noPlace(type: String, exporter: String)
    /// Events alone cannot be remembered: only readings and series have names.
    case eventsAlone
    /// The format has no layout as a zip file, or what is written to is not a file.
    case noArchive(exporter: String)
    /// The zip file would be larger than 4 GB, which its format cannot say.
    case archiveTooLarge
}

/// Why one reading is left out of an export.
public enum ExportOmission: Error, Sendable, Hashable {
    /// Nothing says when it was measured.
    case timeUnknown
    /// The cuff's clock says when it was measured, and nobody said in which zone.
    case zoneUnknown
    /// The cuff has not completed it.
    case incomplete
    /// It does not count, for this reason.
    case excluded(Exclusion)
    /// Nobody said whose readings of this user slot are; `nil`: of none.
    case noSubject(user: Int?)
    /// The measurement failed, and the format has no place for that.
    case failed
    /// The format has no place for readings of this type, a word of the JSON vocabulary.
    case noPlace(type: String)
    /// It has no value that the format can hold.
    case noValue
    /// Its unit has no UCUM code.
    case noUnit
    /// Its values do not fit together, for this reason.
    case invalid(String)
}

import CuffClinical
import CuffCore

/// Errors in a section `[alert.NAME]` of a configuration.
package enum AlertMistake: Hashable, Sendable, CustomStringConvertible {
    case longName
    case notOnSilence(key: String)
    /// None or several of the keys for a trigger.
    case triggers(section: String, isNone: Bool)
    /// `why`: what the key is for.
    case noEffect(key: String, section: String, why: String)
    case impossible(String)
    /// A reading could meet `clear` and `when` at once.
    case overlap
    case withinNotAfter
    case longCondition(key: String)
    /// `why` is the parser's reason.
    case notACondition(key: String, why: String)

    package var description: String {
        switch self {
        case .longName: "the name of an alert has at most \(AlertNotice.longestName) bytes, and no control characters"
        case .notOnSilence(let key): "`\(key)` has no effect on an alert about silence"
        case .triggers(let section, isNone: true): "[\(section)] does not say when it is raised"
        case .triggers(let section, isNone: false): "[\(section)] says in more than one way when it is raised"
        case .noEffect(let key, let section, let why): "`\(key)` has no effect in [\(section)]: \(why)"
        case .impossible(let condition): "no reading can meet `\(condition)`"
        case .overlap: "a reading could meet `clear` and `when` at once"
        case .withinNotAfter: "`within` is not longer than `after`"
        case .longCondition(let key): "`\(key)` has more than \(AlertNotice.longestCondition) bytes"
        case .notACondition(let key, let why): "`\(key)` is not a condition: \(why)"
        }
    }
}

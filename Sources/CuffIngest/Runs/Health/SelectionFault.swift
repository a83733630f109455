import CuffClinical
import CuffCore

/// Why stored or printed readings cannot be shown, evaluated, entered or deleted as requested.
package enum SelectionFault: Fault {
    case unknownType(String, known: [String])
    case unknownFormat(String, known: [String])
    /// A verb on readings was given series or events; `kinds` are the supported ones.
    case readingsOnly(verb: String, kinds: [String])
    case oneTypeOnly(verb: String, type: String)
    /// `what` needs readings of one person, and these are of `persons`.
    case severalPersons(what: String, persons: Persons)
    /// Readings of `owner` only, for a page of another person of the configuration.
    case ofAnother(person: String, owner: String)
    case unknownPerson(String, known: [String])
    case notAName(String, why: String)
    case notBound(String)
    /// A person has no slot, or several, at this cuff, whose name is empty if it is not known yet.
    case notOneSlot(String, cuff: String, slots: [Int])
    /// The user slot of a reading that a cuff sent.
    case slotOfRecord(String)
    case limitsCross
    case implausible(BloodPressure)
    case inTheFuture
    case notANumber(String)
    case notAValue(String, of: String, known: [String])
    case unknownQuantity(String, known: [String])
    case implausibleQuantity(String, text: String, unit: String)
    /// Not from a second to less than a day.
    case lastsTooLong
    case notAnAudiogram(String)
    case everythingToDelete
    /// `isAsked`: there was a terminal.
    case deletionNotConfirmed(isAsked: Bool)
    case notAReading(file: String, line: Int, why: String)
    case tooManyLines(Int)
    case tooManySeries
    case tooManyToExplain(most: Int)

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .unknownType(let word, let known): (.usage, "unknown type `\(word)`: types are \(known.joined(separator: ", "))")
        case .unknownFormat(let word, let known): (.usage, "unknown format `\(word)`: formats are \(known.joined(separator: ", "))")
        case .readingsOnly(let verb, _):
            (.usage, "`\(verb)` applies to readings: series and events belong to the readings they come from")
        case .oneTypeOnly(let verb, let type): (.usage, "`\(verb)` uses \(type) only")
        case .severalPersons(let what, let persons):
            (.usage, "\(what) is of one person, and these readings are of several: \(persons.sentence)")
        case .ofAnother(let person, let owner): (.usage, "these readings are of `\(owner)`, and `\(person)` is another person")
        case .unknownPerson(let name, _): (.usage, "no person is called `\(name)`")
        case .notAName(let name, let why): (.usage, "`\(name)` cannot be a name: \(why)")
        case .notBound(let place): (.usage, "`\(place)` has no person in this file")
        case .notOneSlot(let name, let cuff, let slots):
            (
                .usage,
                slots.isEmpty
                    ? "`\(name)` is not a user of \(cuff.isEmpty ? "this cuff" : "`\(cuff)`")"
                    : "`\(name)` is several users of `\(cuff)`: \(slots.map(String.init).joined(separator: ", "))"
            )
        case .slotOfRecord(let id): (.usage, "the user number of \(id) is part of what the cuff sent, and cannot be changed")
        case .limitsCross: (.usage, "the pulse limits cross: the low one is not below the high one")
        case .implausible(let pressure):
            (
                .usage,
                "\(Self.text(pressure)) looks wrong: "
                    + (pressure.systolic.inMmHg <= pressure.diastolic.inMmHg
                        ? "the systolic pressure comes first and is the higher one" : "it is outside what an arm can have")
            )
        case .inTheFuture: (.usage, "the time is in the future")
        case .notANumber(let text): (.usage, "`\(text)` is not a number")
        case .notAValue(let text, let name, let known):
            (.usage, "`\(text)` is not a value of \(name): values are \(known.joined(separator: ", "))")
        case .unknownQuantity(let word, let known): (.usage, "unknown quantity `\(word)`: quantities are \(known.joined(separator: ", "))")
        case .implausibleQuantity(let name, let text, let unit): (.usage, "\(text) \(unit) looks wrong: \(name) is in \(unit)")
        case .lastsTooLong: (.usage, "it cannot last that long: from a second to less than a day")
        case .notAnAudiogram(let text):
            (.usage, "`\(text)` is not an audiogram: it is Hz:LEFT/RIGHT for each frequency, levels in dB, - for an ear not tested")
        case .everythingToDelete: (.usage, "no condition selects the readings to delete")
        case .deletionNotConfirmed(let isAsked):
            (isAsked ? .no : .usage, "nothing was deleted: \(isAsked ? "it was not confirmed" : "there is no terminal to ask at")")
        case .notAReading(let file, let line, let why): (.badData, "\(file), line \(line), is not a reading: \(why)")
        case .tooManyLines(let most): (.badData, "the lines contain more than \(most) readings")
        case .tooManyToExplain(let most): (.usage, "a report can explain at most \(most) readings")
        case .tooManySeries: (.usage, "too many series to show their values in one order")
        }
    }

    /// `128.5/82 pulse 71`.
    private static func text(_ pressure: BloodPressure) -> String {
        var text = TextBuffer(capacity: 48)
        text.append(pressure.systolic.digits)
        text.append(0x2F)
        text.append(pressure.diastolic.digits)
        if let pulse = pressure.pulse {
            text.append(string: " pulse ")
            text.append(pulse.digits)
        }
        return text.string
    }
}

import CuffCore

/// The order of the numbers of a date.
package enum DateOrder: String, Sendable, Hashable, CaseIterable {
    case dmy, mdy, ymd

    /// `dmy`, `mdy`, `ymd`, or a pattern of strftime(3) such as `%d/%m/%Y %H:%M`; only its order is used.
    package init?(_ text: String) {
        if let order = DateOrder(rawValue: text.lowercased()) {
            self = order
            return
        }
        let letters = text.unicodeScalars.indices.compactMap { index -> Character? in
            guard text.unicodeScalars[index] == "%" else { return nil }
            let next = text.unicodeScalars.index(after: index)
            guard next < text.unicodeScalars.endIndex else { return nil }
            switch text.unicodeScalars[next] {
            case "d", "e": return "d"
            case "m", "b", "B", "h": return "m"
            case "Y", "y": return "y"
            case "F": return "F"
            default: return nil
            }
        }
        if letters == ["F"] { self = .ymd } else { self.init(rawValue: String(letters)) }
    }
}

/// A date and time of day as people and programs write them.
struct ImportTime: Hashable {
    /// The first two numbers of a date with the year last; which of them is the day is decided by the whole file.
    private(set) var first = 0, second = 0
    private(set) var year = 0
    /// The order that the text itself shows; `nil` if it does not.
    private(set) var order: DateOrder?
    private(set) var hasClock = false
    private var hour = 0, minute = 0
    private var seconds: Int?
    private var milliseconds = 0
    private(set) var isTwoDigitYear = false
    private(set) var offset: Int?

    /// The order if one of the first two numbers is greater than 12. Not known for years of two digits.
    var shown: DateOrder? {
        guard order == nil, !isTwoDigitYear else { return order }
        if first > 12, first <= 31, second <= 12 { return .dmy }
        if second > 12, second <= 31, first <= 12 { return .mdy }
        return nil
    }
    /// Both orders give the same day, or the text shows its order.
    var isNeutral: Bool { order != nil || first == second && !isTwoDigitYear }

    private static let months: [String: Int] = {
        let english = [
            "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
        ]
        let german = [
            "januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "dezember",
        ]
        var all: [String: Int] = [:]
        for (index, name) in english.enumerated() {
            all[name] = index + 1
            all[String(name.prefix(3))] = index + 1
        }
        for (index, name) in german.enumerated() { all[name] = index + 1 }
        for (name, month) in [("sept", 9), ("jän", 1), ("mär", 3), ("mrz", 3), ("okt", 10), ("dez", 12)] { all[name] = month }
        return all
    }()

    private enum Token: Hashable { case number(Int, digits: Int), word(String), mark(Character) }

    /// `nil` if the text is not a date, or a date and a time of day.
    init?(_ text: String) {
        var tokens = Self.tokens(text)[...]
        guard readDate(&tokens) else { return nil }
        if case .word("t")? = tokens.first { tokens.removeFirst() }
        guard !tokens.isEmpty else { return }
        guard readClock(&tokens), readHalfOfDay(&tokens), readZone(&tokens), tokens.isEmpty else { return nil }
        hasClock = true
    }

    private static func tokens(_ text: String) -> [Token] {
        var tokens: [Token] = []
        var number: (Int, Int)?
        var word = ""
        func flush() {
            if let (value, digits) = number { tokens.append(.number(value, digits: digits)) }
            if !word.isEmpty { tokens.append(.word(word)) }
            (number, word) = (nil, "")
        }
        for character in text.lowercased() {
            if let digit = character.wholeNumberValue, character.isASCII {
                if !word.isEmpty { flush() }
                let (value, count) = number ?? (0, 0)
                // Longer numbers are not part of a date.
                number = count < 9 ? (value * 10 + digit, count + 1) : (value, count + 1)
            } else if character.isLetter {
                if number != nil { flush() }
                word.append(character)
            } else {
                flush()
                if character != " ", character != "\u{A0}", character != "\u{202F}" { tokens.append(.mark(character)) }
            }
        }
        flush()
        return tokens
    }

    private mutating func readDate(_ tokens: inout ArraySlice<Token>) -> Bool {
        var parts: [Token] = []
        var marks: [Character] = []
        while parts.count < 3, let token = tokens.popFirst() {
            switch token {
            case .number, .word: parts.append(token)
            case .mark(let mark):
                guard "-/.,".contains(mark), !parts.isEmpty else { return false }
                marks.append(mark)
            }
        }
        // Only dates such as `Jan. 5, 2026` have two kinds of marks.
        let hasWord = parts.contains { if case .word = $0 { true } else { false } }
        guard parts.count == 3, hasWord || marks.count == 2 && Set(marks).count == 1 && marks[0] != "," else { return false }
        switch (parts[0], parts[1], parts[2]) {
        case (.number(let day, let length), .word(let name), .number(let year, 4)),
            (.word(let name), .number(let day, let length), .number(let year, 4)):
            guard let month = Self.months[name], length <= 2 else { return false }
            (first, second, self.year, order) = (day, month, year, .dmy)
        case (.number(let year, 4), .number(let month, let a), .number(let day, let b)):
            guard a <= 2, b <= 2 else { return false }
            (first, second, self.year, order) = (month, day, year, .ymd)
        case (.number(let a, let lengthA), .number(let b, let lengthB), .number(let year, let length)):
            guard lengthA <= 2, lengthB <= 2, length == 4 || length == 2 else { return false }
            (first, second, self.year, isTwoDigitYear) = (a, b, year, length == 2)
        default: return false
        }
        return true
    }

    private mutating func readClock(_ tokens: inout ArraySlice<Token>) -> Bool {
        if case .mark(",")? = tokens.first { tokens.removeFirst() }
        guard case .number(let hour, 1...2)? = tokens.popFirst(), case .mark(":")? = tokens.popFirst(),
            case .number(let minute, 2)? = tokens.popFirst()
        else { return false }
        (self.hour, self.minute) = (hour, minute)
        guard case .mark(":")? = tokens.first else { return true }
        tokens.removeFirst()
        guard case .number(let second, 2)? = tokens.popFirst() else { return false }
        seconds = second
        guard case .mark(let mark)? = tokens.first, mark == "." || mark == "," else { return true }
        tokens.removeFirst()
        guard case .number(let fraction, let digits)? = tokens.popFirst(), digits <= 9 else { return false }
        var scale = 1000
        for _ in 0..<min(digits, 3) { scale /= 10 }
        var value = fraction
        if digits > 3 { for _ in 3..<digits { value /= 10 } }
        milliseconds = digits <= 3 ? value * scale : value
        return true
    }

    /// `AM`, `p.m.`, `a. m.`: 12 is the first hour of its half day.
    private mutating func readHalfOfDay(_ tokens: inout ArraySlice<Token>) -> Bool {
        var letters = ""
        while let token = tokens.first {
            if case .word(let word) = token, !["z", "utc", "gmt"].contains(word) { letters += word } else if token != .mark(".") { break }
            tokens.removeFirst()
        }
        guard !letters.isEmpty else { return true }
        guard letters == "am" || letters == "pm", (1...12).contains(hour) else { return false }
        hour = hour % 12 + (letters == "pm" ? 12 : 0)
        return true
    }

    /// `Z`, `+02:00`, `-0500`, `+02`, `UTC+0200`, `GMT+2`.
    private mutating func readZone(_ tokens: inout ArraySlice<Token>) -> Bool {
        guard let token = tokens.first else { return true }
        if token == .word("z") {
            offset = 0
            tokens.removeFirst()
            return true
        }
        guard let minutes = Self.offset(&tokens) else { return false }
        offset = minutes
        return true
    }

    private static func offset(_ tokens: inout ArraySlice<Token>) -> Int? {
        let isNamed = tokens.first == .word("utc") || tokens.first == .word("gmt")
        if isNamed { tokens.removeFirst() }
        guard !tokens.isEmpty else { return 0 }
        guard case .mark(let sign)? = tokens.popFirst(), sign == "+" || sign == "-",
            case .number(let value, let digits)? = tokens.popFirst()
        else { return nil }
        var minutes: Int
        if digits == 4 {
            guard value % 100 < 60 else { return nil }
            minutes = value / 100 * 60 + value % 100
        } else {
            guard digits == 2 || digits == 1 && isNamed else { return nil }
            minutes = value * 60
            if tokens.first == .mark(":") {
                tokens.removeFirst()
                guard case .number(let rest, 2)? = tokens.popFirst(), rest < 60 else { return nil }
                minutes += rest
            }
        }
        guard minutes <= 14 * 60 else { return nil }
        if sign == "-" { minutes = -minutes }
        return minutes
    }

    /// `UTC+0200`, `GMT+9`, `+02:00`; minutes east of UTC.
    static func offset(_ text: String) -> Int? {
        var tokens = Self.tokens(text)[...]
        guard !tokens.isEmpty, let minutes = offset(&tokens), tokens.isEmpty else { return nil }
        return minutes
    }

    /// The years in which a reading is plausible.
    static let years = 1990...2099

    /// The local time; `nil` if it does not exist. `order` is that of numeric dates.
    func wall(_ order: DateOrder) -> DeviceTime? {
        let year = isTwoDigitYear ? 2000 + (self.order ?? order == .ymd ? first : self.year) : self.year
        let (month, day) =
            switch self.order ?? order {
            case .dmy: (second, first)
            case .mdy: (first, second)
            case .ymd: isTwoDigitYear ? (second, self.year) : (first, second)
            }
        guard (1...12).contains(month), (1...31).contains(day), Self.years.contains(year), hour < 24, minute < 60, seconds ?? 0 < 60
        else { return nil }
        let time = DeviceTime(year: year, month: month, day: day, hour: hour, minute: minute, second: seconds)
        return time.isPossible ? time : nil
    }

    /// The time as written in the file.
    func time(_ order: DateOrder) -> ImportedReading.Time? {
        guard let wall = wall(order) else { return nil }
        guard let offset else { return .wall(wall) }
        let seconds = wall.wallSeconds - Int64(offset) * 60
        return .instant(Timestamp(milliseconds: seconds * 1000 + Int64(milliseconds)), offset: Int16(offset))
    }

    /// An instant counted in milliseconds since 1970; `nil` outside of `years`.
    static func instant(milliseconds: Int64) -> Timestamp? {
        let year = Int(DeviceTime(wallSeconds: Timestamp(milliseconds: milliseconds).seconds).year)
        return milliseconds.magnitude < 1 << 52 && years.contains(year) ? Timestamp(milliseconds: milliseconds) : nil
    }

    /// An instant of a text that names its zone (RFC 3339, Apple); the refusal says why not.
    static func instant(_ text: String) throws(ImportRefusal) -> ImportedReading.Time {
        guard let parsed = ImportTime(text) else { throw .unreadableTime(text) }
        guard parsed.hasClock else { throw .noTime(text) }
        guard parsed.order == .ymd, parsed.offset != nil else { throw .unreadableTime(text) }
        guard let time = parsed.time(.ymd) else { throw .impossibleTime(text) }
        return time
    }
}

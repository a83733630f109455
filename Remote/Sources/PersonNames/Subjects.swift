import COpenSSL
import Glibc
import RemoteSink

/// How messages name a person.
package enum PersonForm: String, Sendable, CaseIterable {
    /// The name of the configuration.
    case names
    /// A keyed hash of the name: the same for all readings of a person of this machine, and not to be guessed without the key.
    case subjects
    /// Nothing; the cuff and its slot remain.
    case none

    /// The value of `persons=`.
    package init(setting word: String) throws(ConfigurationFault) {
        guard let form = PersonForm(rawValue: word) else {
            throw ConfigurationFault("persons=\(word) is unknown; use \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = form
    }
}

/// The subject key of each person of this machine: `s-` and 26 letters, HMAC-SHA-256 of the name under a key that never leaves the
/// machine. Names that differ only in case are one person.
package struct Subjects {
    private let key: [UInt8]
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    private static let keyLength = 32

    package init(key: [UInt8]) { self.key = key }

    /// The key of this machine, which is made on first use.
    package init(path: String) throws(ConfigurationFault) {
        if let found = try Self.read(path) {
            key = found
            return
        }
        var new = [UInt8](repeating: 0, count: Self.keyLength)
        guard RAND_bytes(&new, Int32(new.count)) == 1 else { throw ConfigurationFault("no random numbers for the key of persons") }
        let line = new.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "\n"
        // Another process may make it at the same time: the first one counts.
        let part = "\(path).\(getpid()).part"
        unlink(part)
        let file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        let isWritten = file >= 0 && write(file, line, line.utf8.count) == line.utf8.count && fsync(file) == 0
        let number = errno
        if file >= 0 { close(file) }
        defer { unlink(part) }
        guard isWritten, link(part, path) == 0 || errno == EEXIST else {
            throw ConfigurationFault("cannot keep the key of persons in \(path): \(String(cString: strerror(isWritten ? errno : number)))")
        }
        guard let kept = try Self.read(path) else { throw ConfigurationFault("cannot read the key of persons in \(path)") }
        key = kept
    }

    private static func read(_ path: String) throws(ConfigurationFault) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw ConfigurationFault("cannot read the key of persons in \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw ConfigurationFault("others can read the key of persons; do: chmod 600 \(path)")
        }
        var text = [UInt8](repeating: 0, count: 2 * keyLength)
        guard Glibc.read(file, &text, text.count) == text.count else {
            throw ConfigurationFault("\(path) has no key of \(keyLength) bytes")
        }
        let key = stride(from: 0, to: text.count, by: 2).compactMap { UInt8(String(decoding: text[$0..<$0 + 2], as: UTF8.self), radix: 16) }
        guard key.count == keyLength else { throw ConfigurationFault("\(path) has no key of \(keyLength) bytes") }
        return key
    }

    /// With the key of this machine.
    package static func own() throws(ConfigurationFault) -> Subjects {
        guard let path = keyPath() else {
            throw ConfigurationFault("no folder for the key of persons: HOME is not set, or cannot be written to")
        }
        return try Subjects(path: path)
    }

    /// Beside the readings: in the service's folder, else in the user's.
    package static func keyPath() -> String? {
        let service = "/var/lib/cuff/subject.key"
        if let folder = environment("STATE_DIRECTORY") { return folder + "/subject.key" }
        if geteuid() == 0, access(service, F_OK) == 0 { return service }
        let home = environment("HOME").flatMap { access($0, W_OK) == 0 ? $0 : nil }
        guard let base = environment("XDG_DATA_HOME") ?? home.map({ $0 + "/.local/share" }) else { return nil }
        // Each folder on the way that is missing.
        if base == home.map({ $0 + "/.local/share" }), let home { mkdir(home + "/.local", 0o700) }
        mkdir(base, 0o700)
        mkdir(base + "/cuff", 0o700)
        return base + "/cuff/subject.key"
    }

    package func subject(of name: String) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let text = Array(name.lowercased().utf8)
        _ = HMAC(EVP_sha256(), key, Int32(key.count), text, text.count, &digest, &count)
        var word = "s-"
        var (bits, held) = (UInt32(0), 0)
        for byte in digest.prefix(16) {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 5 {
                held -= 5
                word.unicodeScalars.append(Unicode.Scalar(Self.letters[Int(bits >> UInt32(held) & 31)]))
            }
        }
        word.unicodeScalars.append(Unicode.Scalar(Self.letters[Int(bits << UInt32(5 - held) & 31)]))
        return word
    }
}

/// Replaces the names of persons in lines before anything else sees them.
package struct PersonRule {
    private let form: PersonForm
    private let subjects: Subjects?

    package init(form: PersonForm, subjects: Subjects?) {
        self.form = form
        self.subjects = subjects
    }

    /// With the key of this machine. Without one, names are left out, and `program` says why.
    package init(_ form: PersonForm, program: String) {
        do throws(ConfigurationFault) { self.init(form: form, subjects: form == .subjects ? try Subjects.own() : nil) } catch {
            say("\(program): persons are left out of messages: \(error.description)")
            self.init(form: .none, subjects: nil)
        }
    }

    package func apply(_ line: ReadingLine) -> ReadingLine {
        guard form != .names, let name = line.person, case .object(let members) = line.value else { return line }
        let subject = form == .subjects ? subjects?.subject(of: name) : nil
        var changed: [JSONValue.Member] = []
        for member in members {
            switch member.key {
            case "person": if let subject { changed.append(.init(key: "person", value: .string(subject))) }
            // Sentences and names of rules, in alerts.
            case "text", "rule", "condition":
                let text = member.value.string.map { JSONValue.string(Self.replacing(name, with: subject ?? "the person", in: $0)) }
                changed.append(.init(key: member.key, value: text ?? member.value))
            default: changed.append(member)
            }
        }
        return ReadingLine(Array(JSONValue.object(changed).text.utf8)) ?? line
    }

    /// In any case, because names that differ only in case are one person; also within words, unless the name is short.
    private static func replacing(_ name: String, with mark: String, in text: String) -> String {
        let (letters, wanted) = (Array(text), Array(name))
        func isLetter(at index: Int) -> Bool { letters.indices.contains(index) && (letters[index].isLetter || letters[index].isNumber) }
        var result = ""
        var index = 0
        while index < letters.count {
            let end = index + wanted.count
            let isName =
                !wanted.isEmpty && end <= letters.count
                && zip(letters[index..<end], wanted).allSatisfy { $0.lowercased() == $1.lowercased() }
            if isName, wanted.count > 2 || !isLetter(at: index - 1) && !isLetter(at: end) {
                result += mark
                index = end
            } else {
                result.append(letters[index])
                index += 1
            }
        }
        return result
    }
}

import CuffCore
import Foundation
import TestSupport
import Testing

/// A recorded conversation on disk with its expected lines.
struct CaptureFile: CustomTestStringConvertible, Sendable {
    let url: URL
    let header: CaptureHeader
    let items: [CaptureItem]
    /// The lines of `<case>.expected.jsonl`, if it exists.
    let expected: [String]?
    /// `kind` of the vector's description: `apdus` and `values` are tables, not conversations.
    let kind: String?

    var testDescription: String { "\(url.deletingLastPathComponent().lastPathComponent)/\(url.deletingPathExtension().lastPathComponent)" }
    var driver: CuffDriver? { header["driver"].flatMap { CuffFamilies.named($0) } }

    init(_ url: URL) throws {
        self.url = url
        var reader = CaptureTextReader()
        var items: [CaptureItem] = []
        try reader.read(Array(Data(contentsOf: url)), into: &items)
        try reader.finish(into: &items)
        header = reader.header
        self.items = items
        let base = url.deletingPathExtension()
        expected = try? String(contentsOf: base.appendingPathExtension("expected.jsonl"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
        let description = try? Data(contentsOf: base.appendingPathExtension("expected.json"))
        kind = description.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }?["kind"] as? String
    }

    static let root = ProjectFolder.url

    /// The project's own captures, sorted for reproducible output.
    static let own: [CaptureFile] = files(under: root.appendingPathComponent("captures"), "capture")

    /// Byte sessions shared between projects, beside the checkout; elsewhere missing, with a message.
    static let shared: [CaptureFile] = {
        let folder =
            ProcessInfo.processInfo.environment["CUFF_VECTORS"]
            ?? root.deletingLastPathComponent().appendingPathComponent("shared/vectors").path
        let found = files(under: URL(fileURLWithPath: folder), "hex")
        if found.isEmpty {
            print("note: no shared vectors at \(folder) (CUFF_VECTORS names another place); their tests have nothing to run")
        }
        return found
    }()

    /// Everything that can be replayed with a driver of the list.
    static let playable: [CaptureFile] = (own + shared).filter {
        $0.driver != nil && $0.expected != nil && $0.kind != "apdus" && $0.kind != "values"
    }

    /// Every third of them, for tests that replay a capture with all drivers; with `make test-exhaustive` all.
    static let sample = Effort.isExhaustive ? playable : playable.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)

    private static func files(under folder: URL, _ suffix: String) -> [CaptureFile] {
        guard let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        return paths.compactMap { $0 as? URL }.filter { $0.pathExtension == suffix }
            .sorted { $0.path < $1.path }
            .map {
                do { return try CaptureFile($0) } catch { fatalError("\($0.path): \(error)") }
            }
    }
}

extension Replay {
    /// The output since the last call: entries in order, and notices.
    mutating func collect() -> (entries: BatchEntries, notices: [LinkNotice]) {
        flush()
        var entries = BatchEntries()
        var notices: [LinkNotice] = []
        for effect in effects {
            switch effect {
            case .submit(let batch): entries.append(contentsOf: batch.entries)
            case .notify(let notice): notices.append(notice)
            default: break
            }
        }
        effects.removeAll()
        return (entries, notices)
    }
}

/// A played capture and its output.
struct Played {
    var lines: [String] = []
    /// The number of lines before the end, which settled the rest.
    var settledFrom = 0
    var writes: [[UInt8]] = []
    var outcome: Outcome?
    /// The number of emitted readings, repetitions included.
    var readings = 0

    /// Plays the whole capture through `driver`; the cuff's bytes are cut into pieces of `size`, or left as recorded. HID reports are never
    /// cut, because they are messages.
    init(_ items: [CaptureItem], driver: CuffDriver, device: String = "", cutEvery size: Int? = nil) {
        var player = Replay(LinkState.Setup(driver, device: device), keepsWrites: true)
        for item in items {
            if let size, driver.medium == .tty, case .fromCuff(let bytes) = item.content {
                for start in stride(from: 0, to: bytes.count, by: size) {
                    let piece = Array(bytes[start..<min(start + size, bytes.count)])
                    player.play(CaptureItem(time: item.time, .fromCuff(piece)))
                }
            } else {
                player.play(item)
            }
        }
        var (entries, notices) = player.collect()
        settledFrom = entries.count
        player.end()
        let last = player.collect()
        entries.append(contentsOf: last.entries)
        notices += last.notices
        var identity: DeviceIdentity?
        for notice in notices {
            if case .identified(let told) = notice { identity = told }
            if case .finished(_, let ended) = notice { outcome = ended }
        }
        lines = Self.lines(entries, identity)
        writes = player.writes
        readings = player.link.emitted
    }

    /// The printed entries.
    static func lines(_ entries: BatchEntries, _ identity: DeviceIdentity?) -> [String] {
        var text = TextBuffer()
        return entries.map { entry in
            text.removeAll()
            ReadingLine(includesRaw: false).append(entry, device: identity?.id ?? "", to: &text)
            return String(text.string.dropLast())
        }
    }
}

/// Compares a printed line with an expected one: it must have every expected key with the same value.
enum Expectation {
    static let compared: Set<String> = ["blood_pressure", "pulse_rate", "cuff_pressure"]

    static func object(_ line: String) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]) ?? [:]
    }

    /// The differences as text; empty if there are none.
    static func differences(_ expected: [String], _ printed: [String], isStrict: Bool) -> [String] {
        let wanted = expected.map(object)
        let got = printed.map(object)
        if isStrict {
            guard expected == printed else {
                return ["expected:\n\(expected.joined(separator: "\n"))\nprinted:\n\(printed.joined(separator: "\n"))"]
            }
            return []
        }
        var found: [String] = []
        for type in compared {
            let a = wanted.filter { $0["type"] as? String == type }
            let b = got.filter { $0["type"] as? String == type }
            if type != "blood_pressure" && a.isEmpty { continue }
            guard a.count == b.count else {
                found.append("\(type): expected \(a.count), printed \(b.count)")
                continue
            }
            for (index, (want, have)) in zip(a, b).enumerated() {
                for (key, value) in want where !same(key, value, have[key]) {
                    found.append("\(type) \(index + 1): \(key) expected \(value), printed \(have[key] ?? "nothing")")
                }
            }
        }
        return found
    }

    private static func same(_ key: String, _ want: Any, _ have: Any?) -> Bool {
        // Person FFFF of IEEE 11073 means unknown (docs/PHD.md §6.1); a shared vector has it as a user.
        if key == "user", want as? Int == 0xFFFF { return have == nil }
        if key == "device_time", let a = want as? String, let b = have as? String {
            let (x, y) = (trimmed(a), trimmed(b))
            let n = min(x.count, y.count)
            return n >= 16 && x.prefix(n) == y.prefix(n)
        }
        if key == "flags" { return Set(want as? [String] ?? []).isSubset(of: Set(have as? [String] ?? [])) }
        if let a = want as? NSNumber, let b = have as? NSNumber { return abs(a.doubleValue - b.doubleValue) < 1e-6 }
        return "\(want)" == "\(have ?? "")"
    }

    private static func trimmed(_ time: String) -> String {
        guard time.contains(".") else { return time }
        var text = time
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}

import CuffCore
import Foundation
import TestSupport
import Testing

/// Five properties of every capture, and of every shared vector that a driver can play.
@Suite struct CaptureTests {
    @Test func captures_ArePresent() {
        #expect(!CaptureFile.own.isEmpty)
        for file in CaptureFile.own {
            #expect(file.driver != nil, "\(file.testDescription) names no driver of the list")
            #expect(file.expected != nil, "\(file.testDescription) has no expected.jsonl")
            let origin = file.header["origin"] ?? ""
            #expect(
                origin == "recorded" || origin == "synthetic" || origin.hasPrefix("reconstructed from "),
                "\(file.testDescription): origin is `\(origin)`")
        }
    }

    /// Each family has captures, with readings if it gives any, and with checked frames if it has a check.
    @Test(arguments: CuffFamilies.all.map(\.id))
    func everyFamily_IsCovered(_ id: DriverID) throws {
        let driver = try #require(CuffFamilies.named(id.description))
        let own = CaptureFile.own.filter { $0.driver?.id == id }
        #expect(own.count >= 2, "\(id) has \(own.count) captures")
        #expect(own.allSatisfy { file in CaptureFile.playable.contains { $0.url == file.url } }, "\(id): not every capture is played")
        if driver.check != nil { #expect(BitFlipTests.checked.contains { $0.driver?.id == id }, "\(id) has a check") }
        if !driver.capabilities.isEmpty {
            #expect(own.contains { file in file.expected?.contains { $0.contains("\"blood_pressure\"") } == true }, "\(id) has no reading")
        }
    }

    @Test(arguments: CaptureFile.playable)
    func whole_GivesExpected(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let played = Played(file.items, driver: driver, device: file.header["device"] ?? "")
        let differences = Expectation.differences(
            try #require(file.expected), played.lines, isStrict: file.url.pathExtension == "capture")
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
    }

    @Test(arguments: CaptureFile.playable)
    func cutAnywhere_SaysTheSame(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let whole = Played(file.items, driver: driver).lines
        for size in Effort.choose([1, 3, 7], exhaustive: Array(1...16)) {
            let cut = Played(file.items, driver: driver, cutEvery: size).lines
            #expect(cut == whole, "cut every \(size) bytes")
        }
    }

    @Test(arguments: CaptureFile.playable)
    func cutShort_EmitsOnlyWhatTheWholeEmits(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        var capture = CutCapture(driver, whole: Played(file.items, driver: driver).lines)
        var wrong: [String] = []
        for (index, item) in file.items.enumerated() {
            if case .fromCuff(let bytes) = item.content, driver.medium == .tty {
                // Every byte of a short line; of long ones the first, the last and every 7th, which covers every offset.
                var line = capture
                for (length, byte) in bytes.enumerated() {
                    if bytes.count <= 80 || length < 16 || length % 7 == index % 7 || length > bytes.count - 16 {
                        wrong += line.endingHere.map { "cut in line \(index + 1) after \(length) bytes: \($0)" }
                    }
                    line.play(CaptureItem(time: item.time, .fromCuff([byte])))
                }
                wrong += line.wrong.map { "cut in line \(index + 1): \($0)" }
            } else {
                wrong += capture.endingHere.map { "cut after \(index) lines: \($0)" }
            }
            capture.play(item)
            wrong += capture.wrong.map { "cut after \(index + 1) lines: \($0)" }
            capture.wrong.removeAll()
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }

    @Test(arguments: CaptureFile.own)
    func weSendWhatWasRecorded(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        guard let verb = file.header["verb"] else { return }  // a capture of a pushing cuff has no requests
        let recorded = file.items.compactMap { item -> [UInt8]? in
            if case .toCuff(let bytes) = item.content { bytes } else { nil }
        }
        #expect(!recorded.isEmpty, "a capture with a verb shows what was sent")
        let sent = Rehearsal(file.items, driver: driver, verb: verb).writes
        #expect(sent.map { Hex.text($0) } == recorded.map { Hex.text($0) })
    }

    /// All drivers, including those of other kinds of node: a recording without a header may be of any. Only if a serial cuff's piece has
    /// the size of its sibling's HID report could the sibling read it; it never gets one.
    @Test(arguments: CaptureFile.sample)
    func noOtherDriverReadsIt(_ file: CaptureFile) throws {
        let own = try #require(file.driver)
        for driver in CuffFamilies.all where driver.id != own.id {
            if own.id == "beurer-serial", driver.id == "beurer-hid" { continue }
            let lines = Played(file.items, driver: driver).lines
            #expect(lines.isEmpty, "\(driver.id) read: \(lines.first ?? "")")
        }
    }
}

/// A truncated capture. Lines before the end are a prefix of those of the whole. Only the end may differ: pending readings are settled
/// early (a pulse that never came), under the same id and without contradicting values. A family that holds a result back for its pulse,
/// without pending readings, emits it without one.
private struct CutCapture {
    private var replay: Replay
    private let whole: [String]
    private let holdsResults: Bool
    private var identity: DeviceIdentity?
    /// The ids of pending lines so far.
    private var pending: Set<String> = []
    private var count = 0
    /// Lines that differ from the whole capture.
    var wrong: [String] = []

    init(_ driver: CuffDriver, whole: [String]) {
        replay = Replay(LinkState.Setup(driver))
        self.whole = whole
        holdsResults = ["dinamap-ascii", "ibio-board", "leyutek-pct"].contains(driver.id)
    }

    mutating func play(_ item: CaptureItem) {
        replay.play(item)
        for line in Self.lines(&replay, &identity) {
            if !isOfTheWhole(line, count) { wrong.append(line) }
            count += 1
            let object = Expectation.object(line)
            if object["type"] as? String == "pending", let id = object["id"] as? String { pending.insert(id) }
        }
    }

    /// Lines that must not appear if the capture ends here.
    var endingHere: [String] {
        var (ended, identity) = (replay, identity)
        ended.end()
        return Self.lines(&ended, &identity).enumerated().compactMap { place, line in
            let object = Expectation.object(line)
            if isOfTheWhole(line, count + place) || pending.contains(object["id"] as? String ?? "") { return nil }
            if holdsResults, place == 0, object["pulse_per_min"] == nil, object["pulse_absent"] == nil { return nil }
            return "settled without having been pending: \(line)"
        }
    }

    private func isOfTheWhole(_ line: String, _ place: Int) -> Bool { place < whole.count && whole[place] == line }

    private static func lines(_ replay: inout Replay, _ identity: inout DeviceIdentity?) -> [String] {
        let (entries, notices) = replay.collect()
        for case .identified(let told) in notices { identity = told }
        return entries.isEmpty ? [] : Played.lines(entries, identity)
    }
}

/// Plays the capture's cuff side to a live session and compares its writes. The header's `verb` is the command: `read`, `measure`, `stop`,
/// `clock`, `info`, `follow`.
struct Rehearsal {
    private(set) var writes: [[UInt8]] = []
    private(set) var outcome: Outcome?

    init(_ items: [CaptureItem], driver: CuffDriver, verb: String) {
        // Sent bytes are not played: the link's own writes count as sent at once.
        var replay = Replay(LinkState.Setup(driver, commands: [Self.command(verb)]), looksAhead: false, keepsWrites: true)
        for item in items {
            switch item.content {
            case .fromCuff, .event(.silence): replay.play(CaptureItem(item.content))
            default: break
            }
        }
        writes = replay.writes
        for case .notify(.finished(_, let ended)) in replay.effects { outcome = ended }
    }

    static func command(_ verb: String) -> SessionCommand {
        switch verb {
        case "read": .readMemory(user: nil)
        case "measure": .measure
        case "stop": .stop
        case "clock": .readClock
        case "info": .information
        case "clear": .clear(user: nil)
        default: .follow
        }
    }
}

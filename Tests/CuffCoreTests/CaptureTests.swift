import CuffCore
import Foundation
import Testing

/// Every capture proves five things; the same five are asked of every shared vector that a driver can play.
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
        for size in 1...16 {
            let cut = Played(file.items, driver: driver, cutEvery: size).lines
            #expect(cut == whole, "cut every \(size) bytes")
        }
    }

    @Test(arguments: CaptureFile.playable)
    func cutShort_EmitsOnlyWhatTheWholeEmits(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let whole = Played(file.items, driver: driver).lines
        for (index, item) in file.items.enumerated() {
            guard case .fromCuff(let bytes) = item.content, driver.medium == .tty else {
                check(Array(file.items.prefix(index)), driver, whole)
                continue
            }
            // Every byte of a short line; of long ones the first, the last and every 7th, which meets every offset in turn.
            for length in 0..<bytes.count where bytes.count <= 80 || length < 16 || length % 7 == index % 7 || length > bytes.count - 16 {
                check(
                    Array(file.items.prefix(index)) + [CaptureItem(time: item.time, .fromCuff(Array(bytes.prefix(length))))], driver, whole)
            }
        }
    }

    /// What a cut line says is a prefix of what the whole says. Only its end may differ: what was pending is settled early
    /// there (a pulse that never came), under the id it already had; the values that were pending are never contradicted.
    private func check(_ items: [CaptureItem], _ driver: CuffDriver, _ whole: [String]) {
        let played = Played(items, driver: driver)
        let cut = played.lines.prefix(played.settledFrom)
        #expect(Array(whole.prefix(cut.count)) == Array(cut), "cut after \(items.count) lines")
        let pending = Set(cut.map(Expectation.object).filter { $0["type"] as? String == "pending" }.compactMap { $0["id"] as? String })
        for (index, line) in played.lines.enumerated().dropFirst(played.settledFrom) where index >= whole.count || whole[index] != line {
            #expect(pending.contains(Expectation.object(line)["id"] as? String ?? ""), "settled without having been pending: \(line)")
        }
    }

    @Test(arguments: CaptureFile.own)
    func weSendWhatWasRecorded(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        guard let verb = file.header["verb"] else { return }  // a capture of a pushing cuff has nothing to send
        let recorded = file.items.compactMap { item -> [UInt8]? in
            if case .toCuff(let bytes) = item.content { bytes } else { nil }
        }
        #expect(!recorded.isEmpty, "a capture with a verb shows what was sent")
        let sent = Rehearsal(file.items, driver: driver, verb: verb).writes
        #expect(sent.map { Hex.text($0) } == recorded.map { Hex.text($0) })
    }

    /// Every driver of the list, those of another kind of node included: a recording without a header may be of any. Only where a
    /// serial cuff's piece happens to have the size of its sibling's HID report, the sibling can read it; it is never given one.
    @Test(arguments: CaptureFile.playable)
    func noOtherDriverReadsIt(_ file: CaptureFile) throws {
        let own = try #require(file.driver)
        for driver in CuffFamilies.all where driver.id != own.id {
            if own.id == "beurer-serial", driver.id == "beurer-hid" { continue }
            let lines = Played(file.items, driver: driver).lines
            #expect(lines.isEmpty, "\(driver.id) read: \(lines.first ?? "")")
        }
    }
}

/// The capture's cuff side against a live session: what the session writes by itself, given the recorded answers.
/// The header's `verb` says what it was asked: `read`, `measure`, `stop`, `clock`, `info`, `follow`.
struct Rehearsal {
    private(set) var writes: [[UInt8]] = []
    private(set) var outcome: Outcome?

    init(_ items: [CaptureItem], driver: CuffDriver, verb: String) {
        // What was sent is not played: the link's own writes are taken for sent at once.
        var replay = Replay(LinkState.Setup(driver, commands: [Self.command(verb)]), looksAhead: false, keepsWrites: true)
        for item in items {
            switch item.content {
            case .fromCuff, .event(.silence): replay.play(CaptureItem(item.content))
            default: break
            }
        }
        writes = replay.writes
        for case .tell(.finished(_, let ended)) in replay.effects { outcome = ended }
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

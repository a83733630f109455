/// Beurer BM58, BM55, BM65 with a HID interface, `0c45:7406`. Memory on request, record by record.
/// The vendor id is Microdia's, also used in webcams; the cuffs have bcdDevice 0170                              observed [1]
/// Report    8 bytes, no report number; the host pads with F4                                        observed [1][2][3]
/// `AA`      -> `55`: in PC mode; no answer: not in PC mode, reconnect                                  observed [2][3]
/// `A4`…`A7` -> 8 characters each of the cuff's name, padded with F4                                    observed [1][3]
/// `A2`      -> number of records, both users together                                               observed [1][2][3]
/// `A3 n`    -> record n, from 1: user 1 newest first, then user 2                                      observed [3]
///   SYS-25, DIA-25, pulse, month, day, hour, minute, year                                           observed [1][2][3]
///   month bits 0…3, bit 7 movement (BM55)                                                              observed [2]
///   day bits 0…4, bit 7 user 2                                                                         observed [2][3]
///   year bits 0…4, bit 7 irregular pulse; bits 5, 6: the year's in [2], not in [3]                     contradicted
///   `A9` for SYS: no such record                                                                        observed [3]
/// `F7`, 40 ms or more, `F6`: end of the session                                                        observed [3]
/// A9 is also a systolic pressure of 194. Followed by padding, or by the rest of the previous answer (stale bytes, as
/// in other cuffs: guess), it is "no such record"; followed by other bytes it is 194.
/// [1] muling-tt/beurer_bm58 bm58.py   [2] roose242/bmdump bmdump.py   [3] beep-projects/bpconnect beurerbm.py
extension CuffDriver {
    /// The driver `beurer-hid`.
    public static let beurerHID = CuffDriver(
        id: "beurer-hid", models: ["Beurer BM58", "Beurer BM55", "Beurer BM65"],
        summary: "Beurer HID: the memory of both users on request, record by record",
        medium: .hidraw, grade: .a, testedOn: .derived,
        claims: [.release(vendor: 0x0C45, product: 0x7406, bcdDevice: 0x0170)],
        framing: "8-byte reports, one per record, filled with F4", check: nil,
        capabilities: [.storedReadings, .users, .information],
        unverified: [
            "years after 2031: the sources disagree on bits 5 and 6 of the year",
            "the movement bit on models other than the BM55",
            "a systolic pressure of 194 mmHg, whose byte is also the answer for a record that does not exist",
        ],
        notes: [
            "Older BM58 and BM65 with a USB-serial chip are of beurer-serial."
        ],
        preparation: "unplug it and plug it in again, so that it enters PC mode",
        sources: ["muling-tt/beurer_bm58", "roose242/bmdump", "beep-projects/bpconnect"],
        simulatorOptions: ["pc-mode": "no: it is not in its PC mode and says nothing"],
        makeSession: { _ in BeurerHIDSession() },
        makeSimulator: { AnsweringSimulator.beurerHID($0) },
        decodeRecord: { record, _ in BeurerHIDReport.reading(record, after: []) },
        redaction: .beurerHID)
}

enum BeurerHIDReport {
    static let filler: UInt8 = 0xF4
    static let noRecord: UInt8 = 0xA9

    static func question(_ bytes: [UInt8]) -> [UInt8] { bytes.padded(to: 8, with: filler) }

    static func isSingle(_ report: [UInt8]) -> Bool { report.dropFirst().allSatisfy { $0 == filler } }

    /// The record in an answer to A3, if any. `previous` is the answer before.
    static func reading(_ report: [UInt8], after previous: [UInt8]) -> Reading? {
        guard report.count == 8, !isSingle(report) else { return nil }
        if report[0] == noRecord && report.dropFirst() == previous.dropFirst() { return nil }
        let (month, day, year) = (report[3], report[4], report[7])
        var flags: MeasurementFlags = []
        if year & 0x80 != 0 { flags.insert(.irregularPulse) }
        if month & 0x80 != 0 { flags.insert(.bodyMovement) }
        let time = DeviceTime(
            year: 2000 + Int(year & 0x1F), month: Int(month & 0x0F), day: Int(day & 0x1F), hour: Int(report[5]), minute: Int(report[6]))
        let clock = DeviceClock(orUnset: time)
        return Reading(
            .bloodPressure(.mmHg(Int(report[0]) + 25, Int(report[1]) + 25, pulseOrZero: Int(report[2]))), driver: "beurer-hid",
            user: day & 0x80 != 0 ? 2 : 1, flags: flags, clock: year & 0x60 != 0 && clock != .unset ? .impossible(nil) : clock,
            origin: .memory, raw: RawBytes(report))
    }
}

/// One request, one report, three tries. An answer is decoded by the last request of any host; an answer equal to the previous one is
/// requested once more, because it may be a late copy.
struct BeurerHIDSession: RecordwiseSession {
    static let filling = (report: 8, with: BeurerHIDReport.filler)
    static let memoryQuestions: [[UInt8]] = [[0xAA], [0xA2]]
    static let identityQuestions: [[UInt8]] = [[0xAA], [0xA4], [0xA5], [0xA6], [0xA7]]
    static let silence = "the cuff is not in PC mode: unplug it and plug it in again"

    var requests = Requests<[UInt8]>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.beurerHID.capabilities }
    var user: Int?
    private(set) var unread = 0
    private var isLeaving = false
    private var isConfirming = false
    private var dump = DumpOccurrences()
    private var previous: [UInt8] = []
    private var name: [UInt8] = []
    private var seen: [UInt8: [UInt8]] = [:]

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard let first = bytes.first else { return }
        requests.sent = first == 0xA3 ? Array(bytes.prefix(2)) : [first]
        if first == 0xAA || first == 0xA2 {
            dump = DumpOccurrences()
            seen = [:]
            previous = []
        }
        if first == 0xA4 { name = [] }
    }

    mutating func receive(_ report: [UInt8], into actions: inout SessionActions) {
        guard requests.acceptsAnswer else { return }
        guard report.count == 8 else { return actions.report(skipped: report.count, .badLength) }
        let asked = requests.sent ?? []
        switch asked.first {
        case 0xAA:
            guard report[0] == 0x55 else { return actions.ignore("an answer to AA that is not 55", report) }
        case 0xA2:
            guard BeurerHIDReport.isSingle(report) else { return actions.ignore("a count of records with more behind it", report) }
            if requests.isAwaiting {
                requests.planned = (0..<report[0]).map { Self.request([0xA3, $0 + 1]) }
                actions.append(.report(.announced(records: Int(report[0]))))
            }
        case 0xA3 where asked.count == 2:
            // A late copy of another answer; the record is still to come.
            if BeurerHIDReport.isSingle(report) && report[0] != BeurerHIDReport.noRecord {
                return actions.ignore("no record", report)
            }
            if requests.isAwaiting, report == previous, !isConfirming {
                isConfirming = true
                return askAgain(after: .milliseconds(200), into: &actions)
            }
            receive(record: report, asked[1], into: &actions)
        case 0xA4?, 0xA5?, 0xA6?, 0xA7?:
            name += report.filter { $0 != BeurerHIDReport.filler }
            if asked.first == 0xA7 {
                actions.append(.identify(DeviceIdentity(manufacturer: "Beurer", model: DeviceIdentity.text(name))))
            }
        default: return actions.ignore("a report that answers no question", report)
        }
        guard requests.isAwaiting else { return }
        requests.sent = nil
        isConfirming = false
        askNext(into: &actions)
    }

    private mutating func receive(record report: [UInt8], _ index: UInt8, into actions: inout SessionActions) {
        defer { previous = report }
        guard seen[index] != report else { return }
        seen[index] = report
        guard var reading = BeurerHIDReport.reading(report, after: previous) else {
            if requests.isAwaiting { unread += 1 }
            return actions.ignore("no record", report)
        }
        dump.mark(&reading)
        if user == nil || reading.user == user.map({ Int32($0) }) { actions.emit(reading) }
    }

    mutating func allAnswered(into actions: inout SessionActions) {
        isLeaving = true
        actions.append(.write(BeurerHIDReport.question([0xF7])))
        actions.arm(.poll, .milliseconds(50))
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        if isLeaving { finish(outcome, into: &actions) } else { finishAtEnd(into: &actions) }
    }

    mutating func ownTimeOut(_ timer: TimerID, into actions: inout SessionActions) {
        guard isLeaving, timer == .poll else { return }
        actions.append(.write(BeurerHIDReport.question([0xF6])))
        finish(outcome, into: &actions)
    }
}

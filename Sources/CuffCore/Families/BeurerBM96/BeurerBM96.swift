/// Beurer BM 96 Cardio, a cuff with a one-channel ECG, `314a:0102`. HID; the memory on request, record by record.
/// Report    to the cuff 8 bytes, padded with F4; answers up to 64, padded in the same way; no report number         observed [1]
///           an answer that begins with F4 is padding: the next one counts                             observed [1]
/// `AA`      -> `55`                                                                                   observed [1]
/// `A1`      -> the cuff's name, ended by F4                                                           observed [1]
/// `A2`      -> number of records of user 1, number of records of user 2                               observed [1]
/// `A3 u i`  -> record i of user u, both from 0                                                        observed [1]
///   u, i, ?, sensor, hour, minute, day, month, year - 2000, flags, ?, then SYS, DIA, pulse            observed [1]
///   sensor 1 pressure; 2 ECG, which has its pulse in place of SYS and no pressures                    observed [1]
///   flags of a pressure: 2 at rest, 3 not at rest, 9 atrial fibrillation, 13 both that and arrhythmia; from few samples   observed [1]
/// `A4 u i`, `A5 u i row 00 page` -> size and rows of an ECG: not read here                            observed [1]
/// `F7`, 50 ms, `F6`: leaves the PC mode; the cuff must then be reconnected. Neither its only reader nor this
/// driver sends them.                                                                                  observed [1]
/// [1] roose242/bmtoolkit bmquery.py (MIT), two versions
extension CuffDriver {
    /// The driver `beurer-bm96`.
    public static let beurerBM96 = CuffDriver(
        id: "beurer-bm96", models: ["Beurer BM 96 Cardio"],
        summary: "Beurer BM 96 Cardio: the memory of both users on request, record by record",
        medium: .hidraw, reports: HIDReports(input: 64, output: 8), grade: .b, testedOn: .derived,
        claims: [.usb(vendor: 0x314A, product: 0x0102)],
        framing: "one report per record, filled with F4", check: nil,
        capabilities: [.storedReadings, .users, .information],
        unverified: [
            "the flags, which its only reader took from few samples",
            "bytes 2 and 10 of a record",
            "which record of a user comes first",
        ],
        notes: [
            "ECG recordings are passed over: they hold no blood pressure.",
            "`irregular_pulse` stands for the cuff's marks of arrhythmia and of atrial fibrillation; `quality_noted` for `not at rest` and "
                + "for marks of unknown meaning.",
        ],
        preparation: "unplug it and plug it in again, so that it enters PC mode",
        sources: ["roose242/bmtoolkit (bmquery.py, README)"],
        simulatorOptions: ["pc-mode": "no: it is not in its PC mode and says nothing"],
        makeSession: { _ in BeurerBM96Session() },
        makeSimulator: { AnsweringSimulator.beurerBM96($0) },
        findFrames: { BeurerBM96Report.find(in: $0) },
        redaction: .beurerBM96)
}

enum BeurerBM96Report {
    static let filler: UInt8 = 0xF4
    static let size = 8
    static let recordLength = 14
    static let pressureSensor: UInt8 = 1
    static let ecgSensor: UInt8 = 2

    static func record(user: UInt8, index: UInt8) -> [UInt8] { [0xA3, user, index] }

    /// The numbers of records in an answer to A2; `nil` for other answers. A late answer to AA has padding in the second place.
    static func counts(_ report: [UInt8]) -> [UInt8]? {
        guard report.count >= 2, report[1] != filler, report.dropFirst(2).allSatisfy({ $0 == filler }) else { return nil }
        return Array(report[..<2])
    }

    /// The answers in a row of whole reports, if one is a record, or `55` or a name: relatives of this cuff have reports of 8 bytes. Filling
    /// alone is no answer.
    static func find(in bytes: [UInt8]) -> FoundFrames {
        var isSure = false
        let found = FoundFrames(reports: Int(CuffDriver.beurerBM96.reports.input), of: bytes) { report in
            let end = report.lastIndex { $0 != filler }.map { $0 + 1 } ?? 0
            let isText = end >= 2 && report[..<end].allSatisfy { 0x20...0x7E ~= $0 }
            let isRecord = end == recordLength && self.isRecord(report)
            let isKnown = isText || isRecord || counts(report) != nil || report[..<end].elementsEqual([ready])
            guard isKnown, end <= longestAnswer else { return false }
            isSure = isSure || isText || isRecord || end == 1
            return true
        }
        return isSure ? found : FoundFrames()
    }

    private static let ready: UInt8 = 0x55
    /// Names and records are shorter; the rest of a report is filling.
    private static let longestAnswer = 32

    /// The documented ranges of a record, its clock set or not.
    private static func isRecord(_ bytes: [UInt8]) -> Bool {
        bytes[0] < 2 && (bytes[3] == pressureSensor || bytes[3] == ecgSensor) && bytes[4] < 24 && bytes[5] < 60 && bytes[6] <= 31
            && bytes[7] <= 12 && bytes[8] < 100
    }

    static func name(_ report: [UInt8]) -> String { DeviceIdentity.text(report.prefix { $0 != filler }) }

    static func reading(_ record: [UInt8]) -> Reading? {
        let bytes = record.span
        guard record.count >= recordLength, bytes[3] == pressureSensor, bytes[11] > 0, bytes[12] > 0 else { return nil }
        var flags: MeasurementFlags = []
        switch bytes[9] {
        case 9, 13: flags.insert(.irregularPulse)
        case 0, 2: break
        default: flags.insert(.qualityNoted)
        }
        return Reading(
            .bloodPressure(.mmHg(Int(bytes[11]), Int(bytes[12]), pulseOrZero: Int(bytes[13]))), driver: "beurer-bm96",
            user: Int32(bytes[0]) + 1, flags: flags, clock: DeviceClock(orUnset: bytes.time(year: 8, month: 7, day: 6, hour: 4, minute: 5)),
            origin: .memory, raw: RawBytes(Array(record[..<recordLength])))
    }
}

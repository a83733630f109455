/// Omron USB cuffs of `0590:0028`: HEM-790IT and its relatives; HEM-7301-ITKE7. HID; memory on request.
///
/// Report    `n b1…b7`               n valid bytes, at most 7, then stale ones; `08 …` = not ready   observed [1][2]
/// Mode      feature report of 2     `74 BC` readings; the vendor's program: `xx 2C`, `xx 12`        observed [1][2]
/// Opening   zero bytes 7,7,7,7,2    repeated until the report `02 4F 4B` ("OK")                         observed [2]
/// Question  3 letters, arguments, xor of the arguments; split over reports                              documented [1]
/// Answer    `4F 4B 00` data xor     xor over all after "OK"; verified on six logs [2]                   observed [2]
///           `4E 4F` ("NO")          ask the same again                                                  documented [1]
/// VER 30    12 bytes: text(11), xor                                                                     observed [2]
/// GDC 00 bank 00 00                 data: ?, ?, count hi, count: the high byte was 0 always  observed [2]; high: guess
/// GME 00 bank 00 index              index 0 is the newest                                               documented [1]
///   data = year-2000 month day hour minute second unit SYS hi, SYS lo DIA pulse flags hi, flags lo      documented [1][3]
///   flags 0001 irregular, 0002 movement, 0030 place in a TruRead series (not used here)                 documented [3]
///   HEM-637 has no flags: 15 bytes in place of 17                                                       documented [3]
/// bank      0 user A, 1 user B                                                                    guess [1]: "perhaps"
/// END FF    `OK`, then `OFF` CR LF; the cuff switches itself off                                        observed [2]
///
/// HEM-7301-ITKE7 (`variant=mes`): mode `00 00`, zero bytes 7,7; GCL 30 clock, CNT 30 count, MES 00 00 index, MCL 30
/// erase, END 30; the record as in GME, its length not published                                         observed [4]
/// The pedometer HJ-720IT has the same USB id and the same letters (CNT, MES) for steps, so MES is never tried unless
/// the user asks for it, and only answers shorter than the pedometer's are read.
///
/// [1] openyou/libomron doc/omron_protocol_notes.asciidoc, src/omron.c   [2] libomron doc/logs/hem790it: logs and CSV
/// [3] openyou/libomron issue 25   [4] 0x2b3bfa0/python-omron-mit-elite-plus omron_elite_plus.py
extension CuffDriver {
    /// The driver `omron-hid`.
    public static let omronHID = CuffDriver(
        id: "omron-hid",
        models: [
            "Omron HEM-790IT", "Omron 7080IT", "Omron HEM-670IT", "Omron 1500 PRO", "Omron BP791IT",
            "Omron Elite 7300IT", "Omron HEM-7301-ITKE7", "Omron HEM-759P",
        ],
        summary: "Omron USB: the memory on request, record by record",
        medium: .hidraw, grade: .a,
        testedOn: .recordedElsewhere("openyou/libomron, doc/logs/hem790it: six USB logs of a HEM-790IT"),
        claims: [.usb(vendor: 0x0590, product: 0x0028)],
        framing: "8-byte reports, count first; OK … xor", check: "xor of the answer's data",
        capabilities: [.storedReadings, .users, .readClock, .erase, .information],
        changes: "the cuff switches itself off when the session ends (END)",
        unverified: [
            "bank 0 and 1 are users A and B; no log shows bank 1",
            "what the mode bytes mean: libomron and the vendor's program send different ones",
            "variant=mes: the length of its record, and its check, which its only reader does not test",
            "readings above 255 mmHg (high byte of the systolic pressure) in any recording",
        ],
        notes: [
            "HEM-7301-ITKE7 needs `--option variant=mes`; reading the clock and erasing are that variant's only.",
            "The pedometer HJ-720IT answers under the same USB id; it is told apart by its answers.",
            "Weekly averages (GMA, GEA) are the cuff's own and are not read.",
        ],
        preparation: "unplug it, plug it in again and switch it on",
        sources: [
            "openyou/libomron: protocol notes, omron.c, six USB logs of a HEM-790IT with the vendor's CSV",
            "openyou/libomron issue 25 (flags, models)", "0x2b3bfa0/python-omron-mit-elite-plus",
        ],
        options: ["variant": "mes: HEM-7301-ITKE7"],
        simulatorOptions: [
            "not-ready": "openings that it answers with `not ready` (0)",
            "refusals": "how often it answers NO to each record (0)",
        ],
        makeSession: { OmronHIDSession($0) },
        makeSimulator: { OmronHIDSimulator($0) },
        findFrames: { OmronAnswers.find(in: $0) },
        decodeRecord: { record, stored in OmronRecord.reading(ofStored: record, user: stored.user) },
        redaction: .omronHID)
}

/// HL7 version 2 observations from spot-check and bedside monitors: message `ORU^R01` over TCP (the monitor calls) or a serial line.
/// Block     MLLP: `0B` message `1C 0D`; some senders omit the `0D`: then it ends with silence or the next
///           block comes                                                                      documented [1], recorded [2]
/// Bare      without MLLP a message begins at `MSH` and ends at the next `MSH`, or with silence                     observed [3]
/// Segments  end with CR (LF is read too). The character after `MSH` separates fields; MSH-2 has the separators of components,
///           repetitions and subcomponents and the escape character: `\F\ \S\ \T\ \R\ \E\ \Xhh\`           documented [1]
/// OBX       2 type, NM · 3 code^text^system · 4 groups the values of one determination, or numbers the OBX (HL7SubID) · 5 value ·
///           6 unit · 8 and 11 validity (HL7Worth) · 14 time                                           documented [1], recorded [2]
/// Time      OBX-14, else OBR-7, else MSH-7; a zone is optional                                                     [2][3]
/// Cuff      MDC 150301 150302 150303 (CUFF) or 150021 150022 150023 (NONINV), LOINC 8480-6 8462-4 8478-0: systolic,
///           diastolic, mean; pulse MDC 149546, and of a spot record 149522 or LOINC 8867-4                   recorded [2][3]
/// Edan      system EHC: 393216 systolic, 393217 diastolic, 393218 mean, 393219 pulse of the cuff                observed [6]
/// Philips   system MDIL: 0002-4a05 systolic, 0002-4a06 diastolic, 0002-4a07 mean                                observed [6]
/// Units     266016 mmHg, 266015 kPa, or their names [2]; 265987, which IEEE 11073-10101 gives to the kilopascal (0F03)
/// Absent    8388607, the FLOAT NaN printed as a number, and zero                                                observed [4]
/// Mindray   Patient Data Share: HL7 2.3.1; MSH-10 is the kind: 106 heartbeat, 204 periodic values, 503 cuff result;
///           OBX-3 `170^` systolic, `171^` diastolic, `172^` mean, `173^` pulse of the cuff; it is not acknowledged
///                                                                                                          observed [5][6]
/// Answer    `ACK^R01` with `MSA|AA|` MSH-10 once the reading is stored, `AE` if that or decoding fails           documented [1]
/// Never a reading: other messages (ADT and QRY carry OBX too), an arterial line (`ART`, `ABP`), half a blood pressure, values
/// of one determination with different times or units, one code twice with different values. If code and text contradict
/// each other, the text is used and the reading flagged `questionable`: one source uses 150017…150019 with the text NONINV
/// and 150021 with the text ART [4].
/// A monitor repeats its last result in every message. A determination is identified by its own time (OBX-14, OBR-7); one
/// with only the message's time is new if its values, the patient or the group change. The record bytes of a
/// reading are the patient segment and the determination's parts of each OBX, so that a repetition has the same id.
/// [1] HL7 2.6 chapters 2 and 7, MLLP release 1   [2] a recorded message of a Comen NC5, published with a gateway whose origin
/// is not established   [3] a PHP test sender of a Comen VS8 whose origin is not established   [4] tests of that gateway
/// Corrections: a result with status C (OBX-11, or OBR-25 of its order) is a revision of the reading with the same order number
/// (OBR-2) or else the same time and group, of the same monitor; one with W or D withdraws it. A preliminary result (P) is
/// replaced by the next. `Reading.Reference` and `ReadingReferences` have the rule.   documented [1]
/// [5] hankersyan/mindray_t1, Models.java   [6] public programs that read monitors of these makers; origins not established
extension CuffDriver {
    package static let hl7ORU = CuffDriver(
        id: "hl7-oru",
        models: ["Comen VS8", "Comen NC5", "Mindray monitors (Patient Data Share)", "other monitors that send HL7 ORU^R01"],
        summary: "monitors that send HL7 (ORU^R01) over TCP or a serial line: each determination of the cuff",
        grade: .a, testedOn: .documented,
        framing: "MLLP blocks or bare HL7 v2 messages", check: nil,
        capabilities: [.push, .forgets],
        changes: "the acknowledgement (AA) lets a monitor drop the message from its queue; it is sent after the reading is on disk",
        keepingOption: "keep",
        unverified: [
            "that a bare message is over after two seconds of silence, and that a sender waits ten seconds for its answer",
            "a text that contradicts its code: the text is believed, and the reading flagged questionable",
            "the code of the kilopascal: 266015 in one source, 265987 by IEEE 11073-10101; both are read",
            "the speed of a serial line",
            "running numbers in OBX-4: by the words of the standard; recorded from no monitor",
            "the words of OBX-8 other than DEMO: known from the vocabulary of IHE PCD, whose text was not read (grade C)",
            "corrections and withdrawals: by the words of the standard; recorded from no monitor",
        ],
        notes: [
            "The monitor calls: `cuff watch --listen tcp-listen://ADDRESS:2575=hl7-oru`; 2575 is the port of one installation.",
            "Patient identity stands in no column; the patient segment (PID) is part of the record bytes (`--raw`, SQLite's `raw`). Only "
                + "`--keep-patient` puts the patient's number (PID-3, else PID-2) into the database's column `patient`; no name, no other sink.",
            "OBX-4 must keep determinations apart: values under different groups, times or orders are never joined. Where it only numbers the "
                + "OBX of an order (1, 2, 3 …), the values of one time are joined, and none where a code comes twice with different values.",
            "Not supported: a Mindray monitor that talks only after a query (QRY^R02). What the query has to hold is in one public source, "
                + "untested, and in no document; another program has to send it. What the monitor then sends is read.",
            "A pulse is taken only with the time of the determination; an ECG heart rate (Mindray 101) is not the cuff's pulse.",
            "Arterial lines (ART, ABP) are never read, whatever their code. Pressures that are not read are reported.",
            "OBX-8: DEMO, TEST, QUES and CALIB become flags, INV and NAV say that there is no value. OBX-11: X, I, N and O say so too.",
            "A result with status C (OBX-11 or OBR-25) is a revision of the reading with the same order number (OBR-2), else the same time "
                + "and group, of the same monitor; with status W or D it is withdrawn: sinks get a `deleted` line, and the database keeps "
                + "its id alone. A correction has to hold both pressures. Of what was read before, 2048 readings are remembered by id.",
            "A message of more than 64 KiB is refused.",
        ],
        sources: [
            "HL7 version 2.6, chapters 2 and 7; MLLP release 1",
            "a recorded message of a Comen NC5, published with a gateway whose origin is not established",
            "a public PHP test sender of a Comen VS8 whose origin is not established",
            "hankersyan/mindray_t1, Models.java",
            "HL7 version 2 plus, data type OG (observation grouper); GE B40 HL7 reference 2062665-001 (OBX-4)",
            "public programs that read HL7 of Edan and Philips monitors, origins not established (code systems EHC and MDIL)",
            "a recorded message of a Mindray VS900 in demonstration mode (OBX-8)",
        ],
        options: ["keep": "yes: never acknowledge, so that the monitor keeps its messages"],
        simulatorOptions: ["variant": "comen (MLLP, MDC codes), loinc, mindray (Patient Data Share) or bare (without MLLP)"],
        makeSession: { HL7ORUSession($0) },
        makeSimulator: { HL7ORUSimulator($0) },
        findFrames: { FrameReader.find(HL7Frame(), in: $0) },
        patient: { HL7Message.patient(ofRecord: $0) },
        redaction: .hl7ORU)
}

/// A message on the line: an MLLP block, or bare text starting with `MSH`.
struct HL7Frame: FrameFormat {
    /// A spot record has one to three kilobytes, a monitor with a hundred parameters some twenty; larger messages have waveforms or
    /// documents.
    static let maximumLength = 1 << 16
    /// The content of a too long message must not be taken for messages.
    static let passedOver = maximumLength
    static let blockStart: UInt8 = 0x0B
    static let blockEnd: UInt8 = 0x1C
    static let carriageReturn: UInt8 = 0x0D
    static let lineFeed: UInt8 = 0x0A
    /// Encoding characters in MSH-2: four, or five from version 2.7; some senders omit the last ones.
    private static let encodingCharacters = 1...5

    func verdict(on bytes: Span<UInt8>) -> FrameVerdict { verdict(on: bytes, known: 0) }

    func verdict(on bytes: Span<UInt8>, known: Int) -> FrameVerdict {
        let isBlock = bytes[0] == Self.blockStart
        switch Self.header(bytes, at: isBlock ? 1 : 0) {
        case .no: return .reject(.notAStart)
        case .partial: return .needMore
        // Judge the last byte again, if it may be an end with a continuation.
        case .whole: return isBlock ? block(bytes, from: max(1, known - 1)) : bare(bytes, from: max(3, known - Self.longestHeader))
        }
    }

    /// `MSH`, two field separators and the encoding characters.
    private static let longestHeader = 5 + encodingCharacters.upperBound

    /// All ends are searched within this many bytes at once, so that bytes behind the first end are not searched for each message again.
    private static let window = 256

    /// A block ends with `1C 0D` or `1C`. One truncated by another is a frame too, refused later: its rest is not a bare message.
    private func block(_ bytes: Span<UInt8>, from known: Int) -> FrameVerdict {
        for start in stride(from: known, to: bytes.count, by: Self.window) {
            let part = bytes.extracting(0..<min(start + Self.window, bytes.count))
            let end = part.firstOffset(of: Self.blockEnd, from: start)
            if let next = part.firstOffset(of: Self.blockStart, from: start), next < end ?? part.count { return .frame(length: next) }
            if let end { return ended(bytes, at: end) }
        }
        return .needMore
    }

    private func ended(_ bytes: Span<UInt8>, at end: Int) -> FrameVerdict {
        guard let next = bytes.byte(end + 1) else { return .needMore }
        return .frame(length: next == Self.carriageReturn ? end + 2 : end + 1)
    }

    /// A bare message ends before another message or block, or with a block's end.
    private func bare(_ bytes: Span<UInt8>, from known: Int) -> FrameVerdict {
        for start in stride(from: known, to: bytes.count, by: Self.window) {
            let part = bytes.extracting(0..<min(start + Self.window, bytes.count))
            let block = part.firstOffset(of: Self.blockStart, from: start)
            let end = part.firstOffset(of: Self.blockEnd, from: start)
            let limit = min(block ?? part.count, end ?? part.count)
            var index = start
            while let next = part.firstOffset(of: 0x4D, from: index), next < limit {
                let isLineStart = bytes[next - 1] == Self.carriageReturn || bytes[next - 1] == Self.lineFeed
                switch isLineStart ? Self.header(bytes, at: next) : .no {
                case .whole: return .frame(length: next)
                case .partial: return .needMore
                case .no: index = next + 1
                }
            }
            if let block, block == limit { return .frame(length: block) }
            if let end { return ended(bytes, at: end) }
        }
        return .needMore
    }

    static func header(_ bytes: Span<UInt8>, at start: Int) -> ShapeFit {
        for (offset, letter) in [UInt8(0x4D), 0x53, 0x48].enumerated() {
            guard let byte = bytes.byte(start + offset) else { return .partial }
            if byte != letter { return .no }
        }
        guard let separator = bytes.byte(start + 3) else { return .partial }
        guard isSeparator(separator) else { return .no }
        for count in 0...encodingCharacters.upperBound {
            guard let byte = bytes.byte(start + 4 + count) else { return .partial }
            if byte == separator { return encodingCharacters.contains(count) ? .whole : .no }
            guard isSeparator(byte) else { return .no }
        }
        return .no
    }

    /// Printable, but not a letter, digit or blank.
    static func isSeparator(_ byte: UInt8) -> Bool {
        guard byte > 0x20, byte < 0x7F else { return false }
        let isLetter = byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A
        return !isLetter && byte &- 0x30 >= 10
    }
}

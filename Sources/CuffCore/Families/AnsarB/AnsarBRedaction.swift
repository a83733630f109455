extension Redaction {
    /// Lines of the recorded kinds hold measurements and stay, as do the waves; the text of other lines is overwritten, because it may
    /// contain a patient or a time. There is no check.
    static let ansarB = frames(AnsarBFrame(), blanksGaps: true) { frame, side, work in
        guard side == .fromCuff else { return }
        var start = AnsarBFrame.text
        while start < frame.count - 1 {
            let end = frame.span.firstOffset(of: AnsarBFrame.carriageReturn, from: start) ?? (frame.count - 1)
            let mark = frame.span.firstOffset(of: 0x3D, from: start).flatMap { $0 < end ? $0 : nil }
            let name = mark.map { String(decoding: frame[start..<$0], as: UTF8.self) }
            if name.map(ansarBLines.contains) != true { work.blank(&frame, (mark.map { $0 + 1 } ?? start)..<end, .person) }
            start = end + 1
        }
    }

    private static let ansarBLines: Set<String> = ["NIBP", "HR", "RR", "ETCO2", "SPO2", "T1", "T2", "P1", "P2"]
}

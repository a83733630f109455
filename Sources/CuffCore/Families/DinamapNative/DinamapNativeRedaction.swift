extension Redaction {
    /// The parameter bytes of every block are cleared: no document says what they hold, and whatever the monitor knows of a person would
    /// be among them. Sequence, status and waves stay, so that the framing can still be tried. Check and complement again.
    static let dinamapNative = frames(DinamapNativeFrame(), blanksGaps: true) { block, _, work in
        work.clear(&block, 12..<15, .unknown)
        let check = Checksum.crc8Dinamap(block.span, 1..<15)
        block[15] = check
        block[16] = ~check
    }
}

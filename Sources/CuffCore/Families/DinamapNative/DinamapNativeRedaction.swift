extension Redaction {
    /// The parameter bytes of every block are cleared, because they are undocumented and may include personal data. Sequence, status and
    /// waves stay, so that the framing can be tested.
    static let dinamapNative = frames(DinamapNativeFrame(), blanksGaps: true) { block, _, work in
        work.clear(&block, 12..<15, .unknown)
        let check = Checksum.crc8Dinamap(block.span, 1..<15)
        block[15] = check
        block[16] = ~check
    }
}

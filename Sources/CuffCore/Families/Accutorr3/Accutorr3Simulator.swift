extension AnsweringSimulator {
    /// Answers `P` with the manual's example. The script's records are not used, because the order of values is uncertain.
    static let accutorr3 = AnsweringSimulator { bytes in
        bytes.filter { $0 == 0x50 || $0 == 0x70 }.map { _ in .write(Accutorr3Line.example) }
    }
}

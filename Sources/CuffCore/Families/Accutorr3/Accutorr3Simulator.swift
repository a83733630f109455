/// Answers `P` with the manual's example. The script's records are not used, because the order of values is uncertain.
struct Accutorr3Simulator: CuffSimulator {
    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        return bytes.filter { $0 == 0x50 || $0 == 0x70 }.map { _ in .write(Accutorr3Line.example) }
    }
}

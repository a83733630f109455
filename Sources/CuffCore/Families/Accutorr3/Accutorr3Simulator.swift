/// An Accutorr that answers `P` with the manual's example. It carries none of the script's records, since their order is in doubt.
struct Accutorr3Simulator: CuffSimulator {
    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        return bytes.filter { $0 == 0x50 || $0 == 0x70 }.map { _ in .write(Accutorr3Line.example) }
    }
}

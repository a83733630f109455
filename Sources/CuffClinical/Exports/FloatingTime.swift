import CuffCore

extension Reading {
    /// Its only time is what its cuff's clock said, without a zone: it becomes an instant only in a zone that somebody chooses.
    public var isFloating: Bool { measured == nil && clock.time.map { $0.utcOffset == nil } ?? false }
}

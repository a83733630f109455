import CuffCore

extension Reading {
    /// Its only time is that of its cuff's clock, without a zone: it is an instant only in a zone that the user chooses.
    var isFloating: Bool { measured == nil && clock.time.map { $0.utcOffset == nil } ?? false }
}

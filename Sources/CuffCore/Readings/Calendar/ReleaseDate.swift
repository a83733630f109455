extension Timestamp {
    /// A day that lies before this release and behind the one before: a host's clock that shows less is wrong, e.g. that of
    /// a small computer without a battery, which begins in 1970 or when it was switched off.
    ///
    /// The one place of this date. It is moved to the first day of the release's year at each release (CONTRIBUTING.md,
    /// "A release"). 2026-01-01T00:00:00Z.
    public static let release = Timestamp(milliseconds: 1_767_225_600_000)
}

extension Timestamp {
    /// A time before this release and after the previous one: an earlier host clock is wrong, e.g. on a small computer without a battery,
    /// which starts in 1970.
    ///
    /// At each release it is set to the first day of the release's year (CONTRIBUTING.md, "A release"). 2026-01-01T00:00:00Z.
    public static let release = Timestamp(milliseconds: 1_767_225_600_000)
}

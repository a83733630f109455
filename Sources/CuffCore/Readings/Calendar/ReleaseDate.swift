extension Timestamp {
    /// A host clock before this instant is wrong, e.g. on a small computer without a battery, which starts in 1970. Set at each release to
    /// the first day of the release's year (CONTRIBUTING.md, "A release"). 2026-01-01T00:00:00Z.
    public static let release = Timestamp(milliseconds: 1_767_225_600_000)
}

extension Reading {
    /// What a record says of another record of the same determination, in a protocol that corrects and withdraws results.
    ///
    /// The link that names readings resolves it (`ReadingReferences`): a correction becomes a revision of the reading that it corrects,
    /// a withdrawal the last one.
    public struct Reference: Sendable, Hashable {
        /// What the record is.
        public enum Standing: UInt8, Sendable, Hashable {
            /// The result.
            case result
            /// An early result, which another one replaces.
            case preliminary
            /// A new version of a result that was sent before.
            case correction
            /// A result that was sent before is not valid any more.
            case withdrawal
        }

        /// What the record is.
        public var standing = Standing.result
        /// A digest of device and order number; 0 where there is none.
        public var order: UInt64 = 0
        /// A digest of device, time and group; 0 where there is none.
        public var time: UInt64 = 0

        /// No reference: the record stands alone.
        public static var none: Reference { Reference() }

        var isSet: Bool { order != 0 || time != 0 || standing != .result }
    }

    /// The sender took the result back: the reading names the one that is not valid any more, and has no values.
    public var isWithdrawal: Bool {
        if case .failure(let failure) = content { failure.reason == .withdrawn } else { false }
    }
}

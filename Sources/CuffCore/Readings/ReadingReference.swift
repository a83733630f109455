extension Reading {
    /// A record's reference to another record of the same determination, in a protocol with corrections and withdrawals.
    /// `ReadingReferences` resolves it: a correction becomes a revision of the corrected reading, a withdrawal its last revision.
    public struct Reference: Sendable, Hashable {
        /// The status of the record.
        public enum Standing: UInt8, Sendable, Hashable {
            case result
            /// An early result, to be replaced.
            case preliminary
            /// A new version of an earlier result.
            case correction
            /// An earlier result is no longer valid.
            case withdrawal
        }

        /// The status of the record.
        public var standing = Standing.result
        /// A digest of device and order number; 0 if unknown.
        public var order: UInt64 = 0
        /// A digest of device, time and group; 0 if unknown.
        public var time: UInt64 = 0
        /// A digest of device, time, group and patient; 0 without a time. A preliminary result and its final one have the same.
        public var determination: UInt64 = 0

        /// No reference.
        public static var none: Reference { Reference() }

        var isSet: Bool { order != 0 || time != 0 || standing != .result }
    }

    /// The reading withdraws an earlier one, and has no values.
    public var isWithdrawal: Bool {
        if case .failure(let failure) = content { failure.reason == .withdrawn } else { false }
    }
}

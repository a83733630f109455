/// Equidistant samples of one signal (a pleth, an ECG), sent during a measurement.
///
/// The samples are the device's integers. `scale`, if known, has two points of the linear mapping: a sample s has the value lower.value +
/// (s - lower.sample) x (upper.value - lower.value) / (upper.sample - lower.sample).
public struct Waveform: Sendable, Hashable {
    /// Two points of the linear mapping of samples to values.
    public struct Scale: Sendable, Hashable {
        /// The lower and the upper sample.
        public var samples: ClosedRange<Int32>
        /// The value of the lower sample, with the digits as sent.
        public var lower: Digits
        /// The value of the upper sample.
        public var upper: Digits

        /// Creates a scale.
        public init(samples: ClosedRange<Int32>, lower: Digits, upper: Digits) {
            self.samples = samples
            self.lower = lower
            self.upper = upper
        }
    }

    /// The most samples of one event; longer arrays are split.
    public static let ceiling = 64

    /// Nomenclature partition of the metric.
    public var partition: UInt16
    /// The term within `partition`.
    public var term: UInt16
    /// Unit term of the dimension partition; 0: none.
    public var unit: UInt16
    /// The sampling period; zero if unknown.
    public var period: Duration
    /// `nil`: the samples are the values.
    public var scale: Scale?
    /// The first sample's index in the array sent; 0 begins one.
    public var first: Int
    /// The device's time of sampling.
    public var clock: DeviceClock
    /// At most `ceiling`.
    public var samples: [Int32]

    /// The context-free code of the term: partition × 65536 + term.
    public var mdc: UInt32 { UInt32(partition) << 16 | UInt32(term) }

    /// Creates a waveform; samples beyond `ceiling` are dropped.
    public init(
        partition: UInt16, term: UInt16, unit: UInt16, period: Duration, scale: Scale?, first: Int = 0, clock: DeviceClock = .absent,
        samples: some Sequence<Int32>
    ) {
        self.partition = partition
        self.term = term
        self.unit = unit
        self.period = period
        self.scale = scale
        self.first = first
        self.clock = clock
        self.samples = Array(samples.prefix(Self.ceiling))
    }
}

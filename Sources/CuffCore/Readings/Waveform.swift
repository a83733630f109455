/// A row of samples of one signal (a pleth, an ECG), equally far apart, as a device sends them while it measures.
///
/// The samples are the device's own integers. Where it says how they map to values, `scale` has two points of the line:
/// a sample s has the value lower.value + (s - lower.sample) x (upper.value - lower.value) / (upper.sample - lower.sample).
public struct Waveform: Sendable, Hashable {
    /// Two points of the line that maps samples to values in the unit.
    public struct Scale: Sendable, Hashable {
        /// The sample at the lower end, and at the upper.
        public var samples: ClosedRange<Int32>
        /// The values there, with the digits as sent.
        public var lower: Digits
        /// The value of the upper sample.
        public var upper: Digits

        /// Sets each property as given.
        public init(samples: ClosedRange<Int32>, lower: Digits, upper: Digits) {
            self.samples = samples
            self.lower = lower
            self.upper = upper
        }
    }

    /// The most samples of one event; a longer array is told in several.
    public static let ceiling = 64

    /// Nomenclature partition of the metric, and the term within it.
    public var partition: UInt16
    /// The term within `partition`.
    public var term: UInt16
    /// Unit term of the nomenclature's dimension partition; 0 when there is none.
    public var unit: UInt16
    /// From one sample to the next; zero where the device does not say.
    public var period: Duration
    /// `nil`: the samples are the values.
    public var scale: Scale?
    /// The first sample's place in the array that the device sent; 0 begins one.
    public var first: Int
    /// When the array was sampled, by the device's clock.
    public var clock: DeviceClock
    /// At most `ceiling`.
    public var samples: [Int32]

    /// The context-free code of the term: partition × 65536 + term.
    public var mdc: UInt32 { UInt32(partition) << 16 | UInt32(term) }

    /// Sets each property as given; samples beyond `ceiling` are left out.
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

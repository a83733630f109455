/// The shape of a HID family's reports.
///
/// A numbered report begins with its number wherever the session meets it: in what it receives, in what it writes, and in
/// captures, which is also how hidraw hands such reports over.
public struct HIDReports: Sendable, Hashable {
    /// Bytes of an input report, without its number.
    public var input: UInt8
    /// Bytes of an output report, without its number.
    public var output: UInt8
    /// The number of the input report; `nil` where the device's reports have none.
    public var inputNumber: UInt8?
    /// The number of the output report.
    public var outputNumber: UInt8?

    /// Reports of 8 bytes without numbers, the most common kind, unless said otherwise.
    public init(input: UInt8 = 8, output: UInt8 = 8, inputNumber: UInt8? = nil, outputNumber: UInt8? = nil) {
        self.input = input
        self.output = output
        self.inputNumber = inputNumber
        self.outputNumber = outputNumber
    }

    /// Whether the reports begin with their number (HID 1.11, 5.6: either all of a device's reports do, or none).
    public var areNumbered: Bool { inputNumber != nil || outputNumber != nil }
}

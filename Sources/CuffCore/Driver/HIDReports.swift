/// The layout of a HID family's reports. A numbered report begins with its number in sessions and captures, as in hidraw.
public struct HIDReports: Sendable, Hashable {
    /// Bytes of an input report, without its number.
    public var input: UInt8
    /// Bytes of an output report, without its number.
    public var output: UInt8
    /// The number of the input report; `nil` for unnumbered reports.
    public var inputNumber: UInt8?
    /// The number of the output report; `nil` for unnumbered reports.
    public var outputNumber: UInt8?

    /// By default reports of 8 bytes without numbers, the most common kind.
    public init(input: UInt8 = 8, output: UInt8 = 8, inputNumber: UInt8? = nil, outputNumber: UInt8? = nil) {
        self.input = input
        self.output = output
        self.inputNumber = inputNumber
        self.outputNumber = outputNumber
    }

    /// Whether reports begin with their number (HID 1.11, 5.6: all of a device's reports do, or none).
    public var areNumbered: Bool { inputNumber != nil || outputNumber != nil }
}

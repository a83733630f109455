import CuffCore
import Testing

/// The log of tests names a driver by its id: its tables would be a page.
extension CuffDriver: CustomTestStringConvertible {
    public var testDescription: String { id.description }
}

import CuffCore
import Testing

/// A driver is named by its id in the log of tests: all its tables would be a page.
extension CuffDriver: CustomTestStringConvertible {
    public var testDescription: String { id.description }
}

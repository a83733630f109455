import CuffCore
import Testing

/// In test logs a driver is named by its id; all its tables would fill a page.
extension CuffDriver: CustomTestStringConvertible {
    public var testDescription: String { id.description }
}

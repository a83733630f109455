/// The ids, name and report descriptor of a simulated HID cuff. Its reports are on a vendor page, so that the kernel passes them through.
package struct SimulatedHID: Sendable, Hashable {
    package var name: String
    package var id: USBID
    /// bcdDevice.
    package var release: UInt16
    package var descriptor: [UInt8]

    /// `nil` for a family without HID or known USB ids.
    package init?(_ driver: CuffDriver) {
        guard driver.medium == .hidraw, let claim = driver.claims.first else { return nil }
        name = driver.models.first ?? driver.id.description
        id = claim.id
        release = if case .release(_, _, let release) = claim { release } else { 0x0100 }
        let reports = driver.reports
        descriptor =
            [
                0x06, 0xA0, 0xFF,  // Usage Page (FFA0, the vendor's)
                0x09, 0x01, 0xA1, 0x01,  // Usage (1), Collection (Application)
                0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,  // Logical Minimum (0), Maximum (255), Report Size (8 bits)
            ] + Self.item(0x81, reports.input, reports.inputNumber) + Self.item(0x91, reports.output, reports.outputNumber)
        // Feature of two bytes (Omron's mode); with numbered reports it would need a number.
        if !reports.areNumbered { descriptor += Self.item(0xB1, 2, nil) }
        descriptor.append(0xC0)  // End Collection
    }

    /// Report ID if any, Report Count, Usage (1), and the main item (81 Input, 91 Output, B1 Feature; data, variable).
    private static func item(_ main: UInt8, _ count: UInt8, _ number: UInt8?) -> [UInt8] {
        (number.map { [0x85, $0] } ?? []) + [0x95, count, 0x09, 0x01, main, 0x02]
    }
}

/// What a simulated HID cuff tells the kernel of itself: ids, name, and reports without numbers on a page of the vendor's.
/// The kernel passes such reports through; the family defines their content.
public struct SimulatedHID: Sendable, Hashable {
    /// The name that the kernel shows for the device.
    public var name: String
    /// The USB ids that the device pretends to have.
    public var id: USBID
    /// bcdDevice.
    public var release: UInt16
    /// Bytes of an input or output report.
    public var size: UInt8
    /// The HID report descriptor.
    public var descriptor: [UInt8]

    /// `nil` for a family without HID, or without known USB ids.
    public init?(_ driver: CuffDriver) {
        guard driver.medium == .hidraw, let claim = driver.claims.first else { return nil }
        name = driver.models.first ?? driver.id.description
        id = claim.id
        release = if case .release(_, _, let release) = claim { release } else { 0x0100 }
        // Contec's reports have 64 bytes, all others 8 (the sources of each driver).
        size = driver.id == "contec-08a" ? 64 : 8
        descriptor =
            [
                0x06, 0xA0, 0xFF,  // Usage Page (FFA0, the vendor's)
                0x09, 0x01, 0xA1, 0x01,  // Usage (1), Collection (Application)
                0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,  // Logical Minimum (0), Maximum (255), Report Size (8 bits)
            ] + [0x95, size, 0x09, 0x01, 0x81, 0x02] + [0x95, size, 0x09, 0x01, 0x91, 0x02]  // Input, Output
            + [0x95, 2, 0x09, 0x01, 0xB1, 0x02, 0xC0]  // Feature of two bytes (Omron's mode), End Collection
    }
}

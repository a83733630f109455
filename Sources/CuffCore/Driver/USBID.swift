/// Vendor and product id of a USB device, as in `0403:6001`. They name the chip's maker, often not the cuff's.
public struct USBID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// `idVendor` of the USB device descriptor.
    public var vendor: UInt16
    /// `idProduct` of the USB device descriptor.
    public var product: UInt16

    /// Creates an id.
    public init(vendor: UInt16, product: UInt16) {
        self.vendor = vendor
        self.product = product
    }

    /// Parses `VVVV:PPPP`, four hexadecimal digits each; `nil` for other text.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let vendor = Self.number(parts[0]), let product = Self.number(parts[1]) else {
            return nil
        }
        self.init(vendor: vendor, product: product)
    }

    /// Parses exactly four hexadecimal digits (`UInt16.init(_:radix:)` accepts a sign and fewer digits).
    public static func number(_ text: some StringProtocol) -> UInt16? {
        guard text.utf8.count == 4, text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }) else { return nil }
        return UInt16(text, radix: 16)
    }

    /// Lower-case digits, as udev compares them.
    public static func text(_ number: UInt16) -> String { Hex.text([UInt8(number >> 8), UInt8(number & 255)], separator: "") }

    /// Silicon Labs' CP2110, a HID device that is a UART (AN434).
    public static let cp2110 = USBID(vendor: 0x10C4, product: 0xEA80)

    /// `VVVV:PPPP` in lower-case hexadecimal digits.
    public var description: String { Self.text(vendor) + ":" + Self.text(product) }

    /// By vendor, then by product.
    public static func < (a: USBID, b: USBID) -> Bool {
        (a.vendor, a.product) < (b.vendor, b.product)
    }
}

extension CuffDriver.Claim {
    /// The vendor and product id of the claim, without the release.
    public var id: USBID {
        switch self {
        case .usb(let vendor, let product), .shared(let vendor, let product): USBID(vendor: vendor, product: product)
        case .release(let vendor, let product, _): USBID(vendor: vendor, product: product)
        }
    }
}

/// A USB id that does not identify the device behind it.
package struct USBBridge: Sendable, Hashable {
    package var id: USBID
    /// The chip, e.g. `any FTDI FT232 adapter`.
    package var name: String
    /// The kernel module that creates its node.
    package var module: String

    /// Ids of many unlike devices (gpsd comments out the first ones for the same reason).
    package static let known: [USBBridge] = [
        USBBridge(0x067B, 0x2303, "any Prolific PL2303 adapter", "pl2303"),
        USBBridge(0x0403, 0x6001, "any FTDI FT232 adapter", "ftdi_sio"),
        USBBridge(0x10C4, 0xEA60, "any Silicon Labs CP210x adapter", "cp210x"),
        USBBridge(0x10C4, 0xEA80, "any Silicon Labs CP2110 HID-UART bridge", "usbhid"),
        USBBridge(0x1A86, 0x7523, "any WCH CH340 adapter", "ch341"),
        USBBridge(0x1A86, 0x55D3, "any WCH CH343 adapter", "cdc_acm"),
        USBBridge(0x0483, 0x5740, "ST's example virtual COM port, in thousands of unlike devices", "cdc_acm"),
        USBBridge(0x0483, 0x5750, "ST's example HID id, in many unlike devices", "usbhid"),
        USBBridge(0x04B4, 0x5500, "any Cypress HID-to-COM bridge", "cypress_m8"),
        USBBridge(0x04D9, 0xB554, "any Holtek USB-HID-UART bridge", "usbhid"),
        USBBridge(0x0557, 0x2008, "any ATEN UC-232A adapter", "pl2303"),
    ]

    private init(_ vendor: UInt16, _ product: UInt16, _ name: String, _ module: String) {
        id = USBID(vendor: vendor, product: product)
        self.name = name
        self.module = module
    }

    /// The entry of this id; `nil` for an id that is not listed.
    package static func named(_ id: USBID) -> USBBridge? { known.first { $0.id == id } }
}

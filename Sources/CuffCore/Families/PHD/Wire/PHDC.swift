/// USB Personal Healthcare Device Class 1.0: APDUs in bulk transfers, not interpreted here.
/// Without the metadata feature a transfer is only data. With it, a preamble transfer precedes data:
///   off 0  "PhdcQoSSignature"  16 ASCII bytes
///   off 16 u8 transfers that follow (>= 1)   17 u8 version 01   18 u8 QoS, one bit   19 u8 n   20 n opaque bytes
/// An invalid preamble halts the device's pipe; data is then skipped until the next valid preamble.
/// Documented: FSL_USB_Stack_v411 usb_phdc.c, emogenet/accuchek main.cpp.
package struct PHDCReader: Sendable {
    /// The result of one bulk transfer.
    package enum Step: Sendable, Hashable {
        /// Bytes of the APDU stream.
        case data([UInt8])
        /// The pipe must be halted and cleared (CLEAR_FEATURE ENDPOINT_HALT) on both sides.
        case halt(Fault)
        case nothing
    }

    /// Why a transfer violates the class.
    package enum Fault: Sendable, Hashable {
        case signature, version, transfers, quality
        /// Data without the required preamble.
        case noPreamble
    }

    /// The quality-of-service bins, one bit each: low.good to very-high.best.
    package static let qualities: [UInt8] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20]

    /// The metadata feature is on (SET_FEATURE); it is off after every reset.
    package var hasMetadata: Bool
    /// The quality of service of the next transfers.
    package private(set) var quality: UInt8 = 0
    private var left = 0
    private var isHalted = false

    /// Starts before the first transfer.
    package init(hasMetadata: Bool = false) { self.hasMetadata = hasMetadata }

    /// Handles one transfer from the device, ended by a short or zero-length packet.
    package mutating func take(_ transfer: [UInt8]) -> Step {
        if transfer.isEmpty { return .nothing }
        guard hasMetadata else { return .data(transfer) }
        if left > 0 {
            left -= 1
            return .data(transfer)
        }
        switch Self.preamble(transfer.span) {
        case .success(let preamble):
            left = preamble.transfers
            quality = preamble.quality
            isHalted = false
            return .nothing
        case .failure(let fault):
            // One halt is enough; nothing is valid until the next preamble.
            if isHalted { return .nothing }
            isHalted = true
            return .halt(fault.fault)
        }
    }

    struct BadPreamble: Error { var fault: Fault }

    private static func preamble(_ bytes: Span<UInt8>) -> Result<(transfers: Int, quality: UInt8), BadPreamble> {
        guard bytes.matches(PHDFrame.preamble) else { return .failure(BadPreamble(fault: bytes.count < 20 ? .noPreamble : .signature)) }
        guard let transfers = bytes.byte(16), let version = bytes.byte(17), let quality = bytes.byte(18), let opaque = bytes.byte(19),
            bytes.count == 20 + Int(opaque)
        else { return .failure(BadPreamble(fault: .signature)) }
        guard version == 1 else { return .failure(BadPreamble(fault: .version)) }
        guard transfers >= 1 else { return .failure(BadPreamble(fault: .transfers)) }
        guard qualities.contains(quality) else { return .failure(BadPreamble(fault: .quality)) }
        return .success((Int(transfers), quality))
    }

    /// The preamble before a host's own transfers while the feature is on, without opaque bytes.
    package static func preamble(transfers: UInt8, quality: UInt8 = 0x08) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<PHDFrame.preamble.utf8CodeUnitCount { bytes.append(PHDFrame.preamble.utf8Start[index]) }
        return bytes + [max(1, transfers), 1, quality, 0]
    }
}

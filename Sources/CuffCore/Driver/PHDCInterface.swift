/// An interface of the USB Personal Healthcare Device Class (PHDC 1.0): its endpoints and device types. Documented: usb.org "Device Class
/// Definition for Personal Healthcare Devices" 1.0 with errata, as repeated in NXP's and Micrium's stacks (`usb_host_phdc.c`,
/// `usbd_phdc.c`).
public struct PHDCInterface: Sendable, Hashable {
    /// `bInterfaceNumber`.
    public var number: UInt8
    /// The bulk endpoint from the device, 0x81…0x8F.
    public var input: UInt8
    /// The bulk endpoint to the device, 1…15.
    public var output: UInt8
    /// The largest packet of `input`, in bytes: 8…1024.
    public var packet: Int
    /// The largest packet of `output`, in bytes: 8…1024.
    public var outputPacket: Int
    /// Device specializations of IEEE 11073 (partition 8), e.g. 0x1007; empty if the device names none.
    public var specializations: [UInt16]
    /// The device can put metadata before its messages; this program never requests it.
    public var hasMetadata: Bool

    /// The class code, of the interface or the device.
    public static let classCode: UInt8 = 0x0F
    /// Blood pressure (MDC_DEV_SPEC_PROFILE_BP, 8::4103).
    public static let bloodPressure: UInt16 = 0x1007

    /// A blood-pressure cuff, or a device whose type only its association can show.
    public var mayBeCuff: Bool { specializations.isEmpty || specializations.contains(Self.bloodPressure) }

    private enum Kind {
        static let device: UInt8 = 1
        static let interface: UInt8 = 4
        static let endpoint: UInt8 = 5
        static let classFunction: UInt8 = 0x20
        static let functionExtension: UInt8 = 0x30
    }

    /// The first such interface of the first configuration that has one, from the device and configuration descriptors as in sysfs'
    /// `descriptors` and usbfs. `nil` without one, or if it lacks an endpoint.
    public init?(_ descriptors: [UInt8]) {
        var isDevice = false
        var found: Partial?
        var at = 0
        while at + 2 <= descriptors.count {
            let length = Int(descriptors[at])
            guard length >= 2, at + length <= descriptors.count else { break }
            let one = descriptors[at..<(at + length)]
            at += length
            switch one[one.startIndex + 1] {
            case Kind.device where length >= 18: isDevice = one[one.startIndex + 4] == Self.classCode
            case Kind.interface where length >= 9:
                if let whole = found.flatMap(PHDCInterface.init) {
                    self = whole
                    return
                }
                found = nil
                // Alternate settings of an interface are never selected.
                guard one[one.startIndex + 3] == 0 else { continue }
                let isOwn = one[one.startIndex + 5] == Self.classCode || isDevice && one[one.startIndex + 5] == 0
                if isOwn { found = Partial(number: one[one.startIndex + 2]) }
            case Kind.endpoint where length >= 7: found?.addEndpoint(one)
            case Kind.classFunction: found?.addFunction(one)
            case Kind.functionExtension: found?.addExtension(one)
            default: break
            }
        }
        guard let whole = found.flatMap(PHDCInterface.init) else { return nil }
        self = whole
    }

    private struct Partial {
        var number: UInt8
        var input: (address: UInt8, packet: Int)?
        var output: (address: UInt8, packet: Int)?
        var specializations: [UInt16] = []
        var hasMetadata = false
        var isVendors = false

        mutating func addEndpoint(_ bytes: ArraySlice<UInt8>) {
            let address = bytes[bytes.startIndex + 2]
            // Only bulk: the interrupt endpoint repeats what a bulk endpoint can carry.
            guard bytes[bytes.startIndex + 3] & 3 == 2 else { return }
            let packet = Int(bytes[bytes.startIndex + 4]) | Int(bytes[bytes.startIndex + 5] & 7) << 8
            if address & 0x80 == 0 {
                output = output ?? (address, packet)
            } else {
                input = input ?? (address, packet)
            }
        }

        /// bPHDCDataCode 01 is a vendor's own data, 02 is IEEE 11073-20601; bmCapability bit 0: metadata.
        mutating func addFunction(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= 4 else { return }
            isVendors = bytes[bytes.startIndex + 2] != 2
            hasMetadata = bytes[bytes.startIndex + 3] & 1 == 1
        }

        /// bNumDevSpecs, then that many codes, low byte first; a single 0 names none.
        mutating func addExtension(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= 4 else { return }
            let count = min(Int(bytes[bytes.startIndex + 3]), (bytes.count - 4) / 2)
            for index in 0..<count {
                let place = bytes.startIndex + 4 + 2 * index
                let code = UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
                if code != 0 { specializations.append(code) }
            }
        }
    }

    private init?(_ partial: Partial) {
        guard let input = partial.input, let output = partial.output, !partial.isVendors, (8...1024).contains(input.packet),
            (8...1024).contains(output.packet)
        else { return nil }
        number = partial.number
        self.input = input.address
        self.output = output.address
        packet = input.packet
        outputPacket = output.packet
        specializations = partial.specializations
        hasMetadata = partial.hasMetadata
    }
}

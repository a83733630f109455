/// An interface of the USB Personal Healthcare Device Class (PHDC 1.0): its endpoints and device types. Documented: usb.org "Device Class
/// Definition for Personal Healthcare Devices" 1.0 with errata, as repeated in NXP's and Micrium's stacks (`usb_host_phdc.c`,
/// `usbd_phdc.c`).
public struct PHDCInterface: Sendable, Hashable {
    /// Its bulk endpoints. An interrupt endpoint, for data that must arrive within 20 ms, is not read: no cuff with one is known.
    public var pipes: USBPipes
    /// Device specializations of IEEE 11073 (partition 8), e.g. 0x1007; empty where the device names none.
    public var specializations: [UInt16]
    /// The device can put metadata before its messages; this program never requests it.
    public var hasMetadata: Bool

    /// The class code, of the interface or the device.
    public static let classCode: UInt8 = 0x0F
    /// Blood pressure (MDC_DEV_SPEC_PROFILE_BP, 8::4103).
    public static let bloodPressure: UInt16 = 0x1007

    /// A blood-pressure cuff, or a device whose type only its association can show.
    public var mayBeCuff: Bool { specializations.isEmpty || specializations.contains(Self.bloodPressure) }

    private static let classFunction: UInt8 = 0x20
    private static let functionExtension: UInt8 = 0x30

    /// The first such interface with both endpoints, from the bytes of the device descriptor and its configurations (`descriptors` in
    /// sysfs, or usbfs). `nil` if the device has no such interface.
    public init?(_ descriptors: [UInt8]) {
        guard let found = USBInterface.all(in: descriptors).lazy.compactMap(PHDCInterface.init).first else { return nil }
        self = found
    }

    private init?(_ interface: USBInterface) {
        let isOwn = interface.classCode == Self.classCode || interface.deviceClass == Self.classCode && interface.classCode == 0
        guard isOwn, let pipes = interface.pipes else { return nil }
        self.pipes = pipes
        (specializations, hasMetadata) = ([], false)
        for one in interface.descriptors where one.count >= 4 {
            switch one[1] {
            // bPHDCDataCode 01 is a vendor's own data, 02 is IEEE 11073-20601; bmCapability bit 0: metadata.
            case Self.classFunction:
                guard one[2] == 2 else { return nil }
                hasMetadata = one[3] & 1 == 1
            // bNumDevSpecs, then that many codes, low byte first; a single 0 names none.
            case Self.functionExtension:
                for index in 0..<min(Int(one[3]), (one.count - 4) / 2) {
                    let code = UInt16(one[4 + 2 * index]) | UInt16(one[5 + 2 * index]) << 8
                    if code != 0 { specializations.append(code) }
                }
            default: break
            }
        }
    }
}

/// The bulk endpoints of one USB interface: one from the device, one to it.
public struct USBPipes: Sendable, Hashable {
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

    /// The class code of an interface that carries the data of a CDC device (usb.org, "CDC 1.2", table 6).
    static let dataClass: UInt8 = 0x0A
}

extension USBPipes {
    /// The pipes of the first CDC data interface, or else of the first interface that has both, from the bytes of the device
    /// descriptor and its configurations as sysfs and usbfs give them. `nil` where no interface has both.
    public init?(_ descriptors: [UInt8]) {
        let whole = USBInterface.all(in: descriptors).compactMap { interface in interface.pipes.map { (interface.classCode, $0) } }
        guard let found = whole.first(where: { $0.0 == Self.dataClass }) ?? whole.first else { return nil }
        self = found.1
    }
}

/// One interface of a device in its first setting, with the descriptors that follow its own.
struct USBInterface {
    let number: UInt8
    let classCode: UInt8
    /// `bDeviceClass` of the preceding device descriptor; 0 without one.
    let deviceClass: UInt8
    var descriptors: [[UInt8]] = []

    static let endpointKind: UInt8 = 5
    private static let deviceKind: UInt8 = 1
    private static let interfaceKind: UInt8 = 4

    /// Every interface, in order. A descriptor of impossible length ends the walk.
    static func all(in bytes: [UInt8]) -> [USBInterface] {
        var found: [USBInterface] = []
        var deviceClass: UInt8 = 0
        // Descriptors of another setting belong to no interface here.
        var isOther = true
        var at = 0
        while at + 2 <= bytes.count {
            let length = Int(bytes[at])
            guard length >= 2, at + length <= bytes.count else { break }
            let one = Array(bytes[at..<(at + length)])
            at += length
            switch one[1] {
            case deviceKind where length >= 18: deviceClass = one[4]
            case interfaceKind where length >= 9:
                isOther = one[3] != 0
                if !isOther { found.append(USBInterface(number: one[2], classCode: one[5], deviceClass: deviceClass)) }
            default: if !isOther { found[found.count - 1].descriptors.append(one) }
            }
        }
        return found
    }

    /// The first bulk endpoint of each direction; `nil` where one is missing or its packets have an impossible size.
    var pipes: USBPipes? {
        let bulk = descriptors.filter { $0.count >= 7 && $0[1] == Self.endpointKind && $0[3] & 3 == 2 }
        func packet(_ endpoint: [UInt8]) -> Int { Int(endpoint[4]) | Int(endpoint[5] & 7) << 8 }
        guard let input = bulk.first(where: { $0[2] & 0x80 != 0 }), let output = bulk.first(where: { $0[2] & 0x80 == 0 }),
            8...1024 ~= packet(input), 8...1024 ~= packet(output)
        else { return nil }
        return USBPipes(
            number: number, input: input[2], output: output[2], packet: packet(input), outputPacket: packet(output))
    }
}

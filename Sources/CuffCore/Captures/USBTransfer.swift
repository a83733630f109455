/// One usbmon event (struct usb header of libpcap's pcap/usb.h), all fields in the section's byte order.
struct USBTransfer: Sendable {
    enum Kind: UInt8 {
        case isochronous = 0
        case interrupt = 1
        case control = 2
        case bulk = 3
    }

    var urb: UInt64
    /// `S` submitted, `C` completed, `E` failed to submit.
    var event: UInt8
    var kind: Kind
    var endpoint: UInt8
    var device: UInt8
    var bus: UInt16
    /// 0 or a negated errno.
    var status: Int32
    /// The eight bytes of a control request; otherwise empty.
    var setup: [UInt8]
    /// OUT data comes with the submission, IN data with the completion.
    var data: [UInt8]
    /// The capture has only the beginning of the data.
    var isCut: Bool

    var isFromDevice: Bool { endpoint & 0x80 != 0 }

    /// Whether the data of a completed transfer is good: 0; EREMOTEIO, shorter than requested; ENOENT and ECONNRESET, cancelled by the host,
    /// as libusb does after a time-out, which took what had come.
    var hasArrived: Bool { status == 0 || status == -121 || status == -2 || status == -104 }

    init?(_ packet: Span<UInt8>, _ order: Pcapng.ByteOrder, headerLength: Int) {
        guard packet.count >= headerLength, let urb = order.u64(packet, 0), let event = packet.byte(8),
            let kind = packet.byte(9).flatMap(Kind.init), let endpoint = packet.byte(10), let device = packet.byte(11),
            let bus = order.u16(packet, 12), let setupFlag = packet.byte(14), let dataFlag = packet.byte(15),
            let status = order.u32(packet, 28), let whole = order.u32(packet, 32), let length = order.u32(packet, 36)
        else { return nil }
        self.urb = urb
        self.event = event
        self.kind = kind
        self.endpoint = endpoint
        self.device = device
        self.bus = bus
        self.status = Int32(bitPattern: status)
        setup = kind == .control && event == 0x53 && setupFlag == 0 ? packet.part(40, 8) : []
        data = dataFlag == 0 ? packet.part(headerLength, min(Int(length), packet.count - headerLength)) : []
        isCut = dataFlag == 0 && data.count < Int(whole)
    }
}

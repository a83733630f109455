struct PHDSegmentEvent: Sendable, Hashable {
    var instance: UInt16
    var index: UInt32
    var count: UInt32
    var status: UInt16

    static let last: UInt16 = 0x4000
    static let agentAborts: UInt16 = 0x0800
    static let managerConfirms: UInt16 = 0x0080
    static let managerAborts: UInt16 = 0x0008

    func confirmation(invoke: UInt16, handle: UInt16, status: UInt16) -> [UInt8] {
        PHDManagerAPDU.segmentConfirmation(
            invoke: invoke, handle: handle, instance: instance, index: index, count: count, status: status)
    }
}

/// A request to the agent, by this manager or another, awaiting its answer.
struct PHDRequest: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case facts
        case store(UInt16)
        case segments(UInt16)
        case trigger(UInt16, instance: UInt16)
        case clear(UInt16)
        case setTime
        case data
        case scanner(UInt16)
        case other
    }
    var invoke: UInt16
    var kind: Kind
    /// What the answer must repeat: the message, the object's handle, and for an action its type.
    private var answer: UInt16
    var handle: UInt16
    private var action: UInt16?

    /// Whether this is the answer, and not another with the same invoke-id.
    func isAnswered(by message: UInt16, _ apdu: Span<UInt8>) -> Bool {
        message == answer && apdu.bigEndian16(12) == handle && (action == nil || apdu.bigEndian16(14) == action)
    }

    var isAboutStore: Bool {
        switch kind {
        case .store, .segments, .trigger: true
        case .facts, .clear, .setTime, .data, .scanner, .other: false
        }
    }

    init?(_ apdu: Span<UInt8>) {
        guard let invoke = apdu.bigEndian16(6), let message = apdu.bigEndian16(8), let handle = apdu.bigEndian16(12) else { return nil }
        self.invoke = invoke
        self.handle = handle
        switch message {
        case PHDMessage.get:
            answer = PHDMessage.getResult
            kind = handle == 0 ? .facts : .store(handle)
        case PHDMessage.set, PHDMessage.confirmedSet:
            answer = PHDMessage.setResult
            kind = .scanner(handle)
        case PHDMessage.action, PHDMessage.confirmedAction:
            answer = PHDMessage.actionResult
            action = apdu.bigEndian16(14)
            switch apdu.bigEndian16(14) {
            case PHDAction.segmentInfo: kind = .segments(handle)
            case PHDAction.triggerTransfer: kind = .trigger(handle, instance: apdu.bigEndian16(18) ?? 0)
            case PHDAction.clearSegments: kind = .clear(handle)
            case PHDAction.setTime, PHDAction.setBaseOffsetTime: kind = .setTime
            case PHDAction.dataRequest: kind = .data
            default: kind = .other
            }
        default: return nil
        }
    }
}

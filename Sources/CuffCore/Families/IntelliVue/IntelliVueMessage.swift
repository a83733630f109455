enum IntelliVueMessage {
    case accepted, refused, aborted, released, requestsRelease
    /// The monitor describes itself, and expects an answer.
    case created(context: UInt16, invoke: UInt16, object: [UInt8], time: [UInt8])
    case poll(IntelliVuePoll)
    case other

    init(_ user: Span<UInt8>) {
        switch user.byte(0) {
        case IntelliVueAssociation.acceptKind: self = .accepted
        case 0x0C: self = .refused
        case 0x19: self = .aborted
        case IntelliVueAssociation.releasedKind: self = .released
        case IntelliVueAssociation.releaseKind: self = .requestsRelease
        case 0xE1: self = Self.export(user) ?? .other
        default: self = .other
        }
    }

    private static func export(_ user: Span<UInt8>) -> IntelliVueMessage? {
        guard user.byte(1) == 0, let context = user.bigEndian16(2), let kind = user.bigEndian16(4),
            let length = user.bigEndian16(6)
        else { return nil }
        // Most sources use 3 for errors, whose lengths differ.
        if kind == 3 || kind == 5 { return linked(user) }
        guard Int(length) == user.count - 8 else { return nil }
        let rest = user.extracting(8..<user.count)
        switch kind {
        case 1: return event(rest, context)
        case 2: return IntelliVuePoll(rest, part: nil).map { .poll($0) }
        default: return nil
        }
    }

    /// State and count are behind the length, which then includes them, or before it.
    private static func linked(_ user: Span<UInt8>) -> IntelliVueMessage? {
        let isBehind = user.bigEndian16(6).map { Int($0) } == user.count - 8
        guard isBehind || user.bigEndian16(8).map({ Int($0) }) == user.count - 10,
            let state = user.byte(isBehind ? 8 : 6), let count = user.byte(isBehind ? 9 : 7), user.count >= 10
        else { return nil }
        return IntelliVuePoll(user.extracting(10..<user.count), part: (state, count)).map { .poll($0) }
    }

    /// Invoke id, command 0001, length; object (6), time (4), 0D06, length.
    private static func event(_ rest: Span<UInt8>, _ context: UInt16) -> IntelliVueMessage? {
        guard let invoke = rest.bigEndian16(0), rest.bigEndian16(2) == 1, let length = rest.bigEndian16(4),
            Int(length) == rest.count - 6, rest.bigEndian16(16) == 0x0D06, let own = rest.bigEndian16(18),
            Int(own) == rest.count - 20
        else { return nil }
        return .created(
            context: context, invoke: invoke, object: (6..<12).map { rest[$0] }, time: (12..<16).map { rest[$0] })
    }

    static func word(_ value: Int) -> [UInt8] { [UInt8](bigEndian: [value]) }

    static func long(_ value: UInt32) -> [UInt8] { word(Int(value >> 16)) + word(Int(value & 0xFFFF)) }

    /// The answer to `created`: only the event's object and time.
    static func creationResult(_ context: UInt16, _ invoke: UInt16, object: [UInt8], time: [UInt8]) -> [UInt8] {
        message(context, 2, word(Int(invoke)) + word(1) + word(14) + object + time + word(0x0D06) + word(0))
    }

    /// All numerics, observed values.
    static func pollRequest(_ number: UInt16) -> [UInt8] {
        let request = word(Int(number)) + word(1) + word(6) + word(0x0803)
        let action = word(0x21) + [0, 0, 0, 0, 0, 0, 0, 0] + word(0x0C16) + word(request.count) + request
        return message(2, 1, word(Int(number)) + word(7) + word(action.count) + action)
    }

    static func message(_ context: UInt16, _ kind: Int, _ rest: [UInt8]) -> [UInt8] {
        [0xE1, 0x00] + word(Int(context)) + word(kind) + word(rest.count) + rest
    }
}

/// The bytes of the association, as built by [1] and contained in [2].
enum IntelliVueAssociation {
    static let requestKind: UInt8 = 0x0D
    static let acceptKind: UInt8 = 0x0E
    static let releaseKind: UInt8 = 0x09
    static let releasedKind: UInt8 = 0x0A

    private static let sessionData: [UInt8] = [
        0x05, 0x08, 0x13, 0x01, 0x00, 0x16, 0x01, 0x02, 0x80, 0x00, 0x14, 0x02, 0x00, 0x02,
    ]
    private static let object: [UInt8] = [0x06, 0x0C, 0x2A, 0x86, 0x48, 0xCE, 0x14, 0x02, 0x01, 0x00, 0x00, 0x00]
    private static let presentation: [UInt8] =
        [
            0x31, 0x80, 0xA0, 0x80, 0x80, 0x01, 0x01, 0x00, 0x00, 0xA2, 0x80, 0xA0, 0x03, 0x00, 0x00, 0x01, 0xA4, 0x80,
            0x30, 0x80, 0x02, 0x01, 0x01, 0x06, 0x04, 0x52, 0x01, 0x00, 0x01, 0x30, 0x80, 0x06, 0x02, 0x51, 0x01, 0x00,
            0x00, 0x00, 0x00, 0x30, 0x80, 0x02, 0x01, 0x02,
        ] + object + [0x01, 0x01, 0x30, 0x80] + object + [
            0x02, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x61, 0x80, 0x30, 0x80, 0x02, 0x01, 0x01, 0xA0, 0x80, 0x60,
            0x80, 0xA1, 0x80,
        ] + object + [0x03, 0x01, 0x00, 0x00, 0xBE, 0x80, 0x28, 0x80] + object + [0x01, 0x01, 0x02, 0x01, 0x02, 0x81]
    private static let trailer = [UInt8](repeating: 0, count: 16)

    /// A manager's parameters: times in 1/8 ms, sizes in bytes.
    struct Profile {
        var period: UInt32
        var receives: UInt32
        var sends: UInt32
        var extended: UInt32

        /// That of [1].
        static let ours = Profile(period: 0xBB80, receives: 1000, sends: 1000, extended: 0x8800_0000)
    }

    static func request(_ profile: Profile = .ours) -> [UInt8] {
        let long = IntelliVueMessage.long
        let extended = list([attribute(0xF001, long(profile.extended) + list([]))])
        let poll =
            long(0x8000_0000) + long(profile.period) + long(profile.receives) + long(profile.sends) + long(0xFFFF_FFFF)
            + long(0x6000_0000) + extended
        // Protocol and nomenclature version, functional units, client, cold start, no options.
        let user =
            long(0x8000_0000) + long(0x4000_0000) + long(0) + long(0x8000_0000) + long(0x2000_0000) + long(0)
            + list([attribute(1, poll)])
        return item(requestKind, sessionData + item(0xC1, presentation + [UInt8(user.count)] + user + trailer))
    }

    /// The release request; its answer has 0A and 63 instead of 09 and 62 [2].
    static let release: [UInt8] = [
        0x09, 0x18, 0xC1, 0x16, 0x61, 0x80, 0x30, 0x80, 0x02, 0x01, 0x01, 0xA0, 0x80, 0x62, 0x80, 0x80, 0x01, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    ]

    /// A length below 255 in one byte, others in two behind FF.
    static func item(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count < 255 ? [UInt8(content.count)] : [0xFF] + IntelliVueMessage.word(content.count)
        return [kind] + length + content
    }

    static func attribute(_ id: Int, _ value: [UInt8]) -> [UInt8] {
        IntelliVueMessage.word(id) + IntelliVueMessage.word(value.count) + value
    }

    static func list(_ items: [[UInt8]]) -> [UInt8] {
        let content = Array(items.joined())
        return IntelliVueMessage.word(items.count) + IntelliVueMessage.word(content.count) + content
    }
}

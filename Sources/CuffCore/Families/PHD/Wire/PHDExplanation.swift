/// Explains a conversation between agent and manager, APDU by APDU, as a protocol analyser. Undecodable parts are shown as bytes. It
/// remembers the configuration and segments, because fixed reports need them.
package struct PHDExplanation: Sendable {
    private var fromAgent = FrameReader(PHDFrame())
    private var fromManager = FrameReader(PHDFrame())
    package private(set) var apdus = 0
    var configuration: PHDConfiguration?
    var segments: [UInt16: PHDSegment] = [:]

    /// Starts before the first APDU.
    package init() {}

    /// The trees of the APDUs that these bytes complete, separated by blank lines.
    package mutating func explain(_ bytes: [UInt8], fromAgent isAgent: Bool) -> [String] {
        var lines: [String] = []
        if isAgent { fromAgent.feed(bytes) } else { fromManager.feed(bytes) }
        while let step = isAgent ? fromAgent.next() : fromManager.next() {
            switch step {
            case .skipped(let count, let fault): lines.append(Self.gap(count, fault))
            case .frame(let range):
                let apdu = Array((isAgent ? fromAgent.buffer : fromManager.buffer)[range])
                apdus += 1
                lines += tree(apdu, isAgent: isAgent)
                lines.append("")
                follow(apdu)
            }
        }
        return lines
    }

    private static func gap(_ count: Int, _ fault: FrameFault) -> String {
        "\(count) byte\(count == 1 ? "" : "s") of no APDU: \(fault.sentence)"
    }

    /// The unread rest of either side at the end.
    package mutating func finish() -> [String] {
        [fromAgent.finish(), fromManager.finish()].compactMap { step in
            if case .skipped(let count, let fault)? = step { Self.gap(count, fault) } else { nil }
        }
    }

    /// One APDU alone; a fixed report is decoded by standard configuration 700.
    package static func lines(_ apdu: [UInt8]) -> [String] {
        var explanation = PHDExplanation()
        explanation.configuration = PHDStandardConfiguration.configuration(0x02BC)
        return explanation.tree(apdu, isAgent: true)
    }

    /// Framing is strict only within an association, as in the manager.
    mutating func follow(_ apdu: [UInt8]) {
        switch apdu.span.bigEndian16(0) {
        case PHDChoice.associationResponse:
            let result = apdu.span.bigEndian16(4)
            setAssociated(result == 0 || result == 3)
        case PHDChoice.abort, PHDChoice.releaseResponse: setAssociated(false)
        case PHDChoice.associationRequest:
            guard case .success(let request) = PHDAssociationRequest.read(apdu.span) else { return }
            configuration = PHDStandardConfiguration.configuration(request.configurationID)
            segments = [:]
        default: break
        }
    }

    private mutating func setAssociated(_ isAssociated: Bool) {
        fromAgent.format.isAssociated = isAssociated
        fromManager.format.isAssociated = isAssociated
    }

    mutating func tree(_ apdu: [UInt8], isAgent: Bool) -> [String] {
        var tree = PHDTree()
        let bytes = apdu.span
        guard bytes.count >= 4, let choice = bytes.bigEndian16(0), let length = bytes.bigEndian16(2) else {
            tree.malformed(bytes, 0, "no APDU begins here")
            return tree.lines
        }
        if bytes[0] == 0x50 {
            tree.field(bytes, 0, bytes.count, "PHDC preamble", "\(bytes.byte(16) ?? 0) transfers, QoS \(bytes.byte(18) ?? 0)")
            return tree.lines
        }
        let names: [UInt16: String] = [
            PHDChoice.associationRequest: "AARQ association request", PHDChoice.associationResponse: "AARE association response",
            PHDChoice.releaseRequest: "RLRQ release request", PHDChoice.releaseResponse: "RLRE release response",
            PHDChoice.abort: "ABRT abort", PHDChoice.presentation: "PRST",
        ]
        tree.field(bytes, 0, 2, "choice", names[choice] ?? "unknown")
        tree.field(bytes, 2, 2, "length", "\(length)")
        if Int(length) != bytes.count - 4 { tree.malformed(bytes, 2, "\(bytes.count - 4) bytes follow") }
        var offset = 4
        switch choice {
        case PHDChoice.associationRequest:
            tree.nested {
                $0.long(bytes, &offset, "assoc-version", PHDTree.hex32)
                Self.protocols(bytes, &offset, &$0)
            }
        case PHDChoice.associationResponse:
            tree.nested {
                $0.word(bytes, &offset, "result") { "\($0) \(PHDNames.associationResult($0))" }
                Self.protocolInformation(bytes, &offset, bytes.count, &$0)
            }
        case PHDChoice.releaseRequest, PHDChoice.releaseResponse:
            tree.nested { $0.word(bytes, &offset, "reason") { "\($0) \(PHDNames.releaseReason($0))" } }
        case PHDChoice.abort: tree.nested { $0.word(bytes, &offset, "reason") { "\($0) \(PHDNames.abortReason($0))" } }
        case PHDChoice.presentation:
            let whole = PHDSession.dataAPDU(bytes) ?? bytes.count
            presentation(bytes.extracting(0..<whole), &tree)
            if whole < bytes.count { tree.field(bytes, whole, bytes.count - whole, "the same data again") }
        default: break
        }
        return tree.lines
    }

    private static func protocols(_ bytes: Span<UInt8>, _ offset: inout Int, _ tree: inout PHDTree) {
        guard let list = tree.list(bytes, &offset, bytes.count, "data-proto-list") else { return }
        var at = offset
        tree.nested {
            for _ in 0..<list.count {
                guard at < list.end else { return $0.malformed(bytes, at, "the list ends before its count") }
                protocolInformation(bytes, &at, list.end, &$0)
            }
        }
        offset = at
    }

    private static func protocolInformation(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, _ tree: inout PHDTree) {
        var at = offset
        let id = tree.word(bytes, &at, "data-proto-id") { $0 == 0x5079 ? "20601" : $0 == 0xFFFF ? "external" : PHDTree.hex16($0) }
        guard let length = tree.word(bytes, &at, "data-proto-info length") else { return offset = end }
        let limit = at + Int(length)
        offset = limit
        guard limit <= end else { return tree.malformed(bytes, at, "the information is longer than what holds it") }
        guard id == PHDAssociationRequest.protocol20601 else { return }
        tree.nested {
            $0.long(bytes, &at, "protocol-version", PHDTree.hex32)
            $0.word(bytes, &at, "encoding-rules") { PHDNames.bits($0, [(0x8000, "MDER"), (0x4000, "XER"), (0x2000, "PER")]) }
            $0.long(bytes, &at, "nomenclature-version", PHDTree.hex32)
            $0.long(bytes, &at, "functional-units", PHDTree.hex32)
            $0.long(bytes, &at, "system-type") { $0 & 0x0080_0000 != 0 ? "agent" : $0 & 0x8000_0000 != 0 ? "manager" : PHDTree.hex32($0) }
            guard let size = $0.word(bytes, &at, "system-id length"), at + Int(size) <= limit else {
                return $0.malformed(bytes, at, "the system-id is longer than what holds it")
            }
            $0.field(bytes, at, Int(size), "system-id", Hex.text(bytes.part(at, Int(size)), separator: ""))
            at += Int(size)
            $0.word(bytes, &at, "dev-config-id") { "\($0)" }
            $0.word(bytes, &at, "data-req-mode-flags") { PHDNames.bits($0, PHDNames.requestModes) }
            $0.word(bytes, &at, "data-req-init-counts") { "agent \($0 >> 8), manager \($0 & 255)" }
            attributes(bytes, &at, limit, "option-list", &$0)
        }
    }

    private mutating func presentation(_ bytes: Span<UInt8>, _ tree: inout PHDTree) {
        var offset = 4
        var message: UInt16?
        tree.nested { tree in
            guard let inner = tree.word(bytes, &offset, "octet string length") else { return }
            if 6 + Int(inner) != bytes.count { tree.malformed(bytes, 4, "\(bytes.count - 6) bytes follow") }
            tree.word(bytes, &offset, "invoke-id")
            guard let found = tree.word(bytes, &offset, "message", { PHDNames.message($0).description }),
                let length = tree.word(bytes, &offset, "length")
            else { return }
            if offset + Int(length) != bytes.count { tree.malformed(bytes, offset - 2, "\(bytes.count - offset) bytes follow") }
            message = found
        }
        guard let message else { return }
        switch message {
        case PHDMessage.eventReport, PHDMessage.confirmedEventReport: eventReport(bytes, offset, bytes.count, &tree)
        default: Self.other(message, bytes, offset, bytes.count, &tree)
        }
        if message == PHDMessage.actionResult, bytes.bigEndian16(14) == PHDAction.segmentInfo { learnSegments(bytes) }
    }

    private static func other(_ message: UInt16, _ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ tree: inout PHDTree) {
        var offset = start
        tree.nested { tree in
            switch message {
            case PHDMessage.eventReportResult:
                tree.word(bytes, &offset, "obj-handle")
                tree.long(bytes, &offset, "currentTime", PHDTree.hex32)
                let event = tree.word(bytes, &offset, "event-type") { "\(PHDNames.event($0))" }
                guard let length = tree.word(bytes, &offset, "event-reply-info length"), length > 0 else { return }
                if event == PHDEvent.configuration {
                    tree.word(bytes, &offset, "config-report-id")
                    tree.word(bytes, &offset, "config-result") { "\($0) \(PHDNames.configurationResult($0))" }
                } else if event == PHDEvent.segmentData {
                    segmentHead(bytes, &offset, &tree)
                }
            case PHDMessage.get:
                tree.word(bytes, &offset, "obj-handle")
                guard let list = tree.list(bytes, &offset, end, "attribute-id-list") else { return }
                for _ in 0..<list.count {
                    guard tree.word(bytes, &offset, "attribute", { "\(PHDNames.attribute($0))" }) != nil else { return }
                }
            case PHDMessage.set, PHDMessage.confirmedSet:
                tree.word(bytes, &offset, "obj-handle")
                guard let list = tree.list(bytes, &offset, end, "modification-list") else { return }
                for _ in 0..<list.count {
                    tree.word(bytes, &offset, "modify-operator")
                    guard attribute(bytes, &offset, end, &tree) else { return }
                }
            case PHDMessage.getResult, PHDMessage.setResult:
                tree.word(bytes, &offset, "obj-handle")
                attributes(bytes, &offset, end, "attribute-list", &tree)
            case PHDMessage.action, PHDMessage.confirmedAction, PHDMessage.actionResult:
                tree.word(bytes, &offset, "obj-handle")
                guard let action = tree.word(bytes, &offset, "action-type", { "\(PHDNames.action($0))" }),
                    let length = tree.word(bytes, &offset, "action-info length"), length > 0
                else { return }
                actionInfo(action, isResult: message == PHDMessage.actionResult, bytes, &offset, end, &tree)
            case PHDMessage.error:
                tree.word(bytes, &offset, "error-value") { "\($0) \(PHDNames.error($0))" }
                if let length = tree.word(bytes, &offset, "parameter length"), length == 2 { tree.word(bytes, &offset, "return-code") }
            case PHDMessage.rejection: tree.word(bytes, &offset, "problem") { "\($0) \(PHDNames.problem($0))" }
            default: tree.field(bytes, offset, end - offset, "data")
            }
        }
    }

    private static func actionInfo(
        _ action: UInt16, isResult: Bool, _ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int, _ tree: inout PHDTree
    ) {
        switch (action, isResult) {
        case (PHDAction.triggerTransfer, _):
            tree.word(bytes, &offset, "seg-inst-no")
            if isResult { tree.word(bytes, &offset, "result") { "\($0) \(PHDNames.triggerResult($0))" } }
        case (PHDAction.segmentInfo, true):
            guard let list = tree.list(bytes, &offset, end, "segment-info-list") else { return }
            for _ in 0..<list.count {
                guard tree.word(bytes, &offset, "seg-inst-no") != nil else { return }
                guard attributes(bytes, &offset, list.end, "attribute-list", &tree) else { return }
            }
        case (PHDAction.segmentInfo, false), (PHDAction.clearSegments, false):
            tree.word(bytes, &offset, "selection") {
                $0 == 1 ? "all segments" : $0 == 2 ? "list of segments" : $0 == 3 ? "absolute time range" : "\($0)"
            }
            let isRange = bytes.bigEndian16(offset - 2) == 3 && end - offset == 18
            tree.word(bytes, &offset, "length")
            guard isRange else { return tree.field(bytes, offset, end - offset, "value") }
            for name in ["from-time", "to-time"] {
                tree.field(bytes, offset, 8, name, PHDTree.text(stamp(.absolute, bytes, offset).clock))
                offset += 8
            }
        case (PHDAction.setTime, false):
            tree.field(bytes, offset, 8, "date-time", PHDTree.text(stamp(.absolute, bytes, offset).clock))
            offset += 8
            tree.long(bytes, &offset, "accuracy")
        case (PHDAction.setBaseOffsetTime, false):
            tree.field(bytes, offset, 8, "date-time", PHDTree.text(stamp(.baseOffset, bytes, offset).clock))
        case (PHDAction.dataRequest, false):
            tree.word(bytes, &offset, "data-req-id")
            tree.word(bytes, &offset, "data-req-mode", PHDTree.hex16)
            tree.long(bytes, &offset, "data-req-time")
            tree.word(bytes, &offset, "data-req-person-id")
            tree.word(bytes, &offset, "data-req-class")
            tree.field(bytes, offset, end - offset, "data-req-obj-handle-list")
        case (PHDAction.dataRequest, true):
            tree.long(bytes, &offset, "rel-time-stamp", PHDTree.hex32)
            tree.word(bytes, &offset, "data-req-result")
            tree.word(bytes, &offset, "event-type") { $0 == 0 ? "none" : "\(PHDNames.event($0))" }
            tree.word(bytes, &offset, "event-info length")
            tree.field(bytes, offset, end - offset, "event-info")
        default: tree.field(bytes, offset, end - offset, "action-info")
        }
    }

    static func segmentHead(_ bytes: Span<UInt8>, _ offset: inout Int, _ tree: inout PHDTree) {
        tree.word(bytes, &offset, "seg-inst-no")
        tree.long(bytes, &offset, "entry-index")
        tree.long(bytes, &offset, "entry-count")
        tree.word(bytes, &offset, "status") { PHDNames.bits($0, PHDNames.segmentStatus) }
    }

    static func stamp(_ kind: PHDStamp.Kind, _ bytes: Span<UInt8>, _ offset: Int) -> PHDStamp {
        guard let high = bytes.bigEndian32(offset) else { return .none }
        if kind == .relative { return PHDStamp(kind: kind, bits: UInt64(high)) }
        return PHDStamp(kind: kind, bits: UInt64(high) << 32 | UInt64(bytes.bigEndian32(offset + 4) ?? 0))
    }

    private mutating func learnSegments(_ bytes: Span<UInt8>) {
        guard let list = PHDSegment.list(bytes, 18, bytes.count, configuration ?? PHDConfiguration()) else { return }
        segments = [:]
        let store = (configuration?.stores.first { $0.handle == bytes.bigEndian16(12) }).map { PHDStoreState($0) }
        for var segment in list {
            if let store { segment.complete(store) }
            segments[segment.instance] = segment
        }
    }
}

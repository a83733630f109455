import Foundation
import Testing

@testable import CuffCore

/// The state table row by row, first as data and then in a live session with real APDUs.
@Suite struct PHDStateTableTests {
    @Test func table_HasEachPairOnce() {
        let pairs = PHDStateTable.rows.map { "\($0.state) \($0.input)" }
        #expect(Set(pairs).count == pairs.count)
    }

    /// Evaluation results occur only while a configuration is checked; a disconnected session receives nothing.
    @Test func table_IsComplete() {
        for state in PHDState.allCases where state != .disconnected {
            for input in PHDInput.allCases {
                let isInner = input == .configurationAccepted || input == .configurationRefused
                #expect((PHDStateTable.row(state, input) != nil) == (!isInner || state == .checkingConfiguration), "\(state) \(input)")
            }
        }
    }

    @Test func everyRow_CitesItsClause() {
        for row in PHDStateTable.rows { #expect(row.clause.utf8CodeUnitCount >= 3, "\(row.state) \(row.input)") }
    }

    @Test(arguments: PHDStateTable.rows.filter { $0.state != .disconnected && $0.state != .checkingConfiguration })
    func row_IsWhatTheSessionDoes(_ row: PHDRow) throws {
        guard let event = Self.event(row.input) else { return }
        var session = Self.session(in: row.state)
        try #require(session.state == row.state)
        // Only another manager sends requests before the configuration is settled (Antidote does).
        if row.state == .waitingForConfiguration, row.input == .answer { session.requests.note(PHDManagerAPDU.get(invoke: 5, handle: 0)) }
        let number = session.requests.first?.invoke ?? 77
        let actions: [SessionAction]
        switch event {
        case .apdu(let text):
            let bytes = try #require(
                Hex.bytes(text.replacingOccurrences(of: "IIII", with: Self.hex(row.input == .strayAnswer ? 0x7777 : number))))
            actions = session.handle(.received(bytes))
        case .event(let event): actions = session.handle(event)
        case .timer:
            let timer: TimerID = row.state == .waitingForConfiguration ? .configuration : row.state == .disassociating ? .release : .silence
            if timer == .silence { _ = session.handle(.received([0xE7, 0x00])) }
            actions = session.handle(.timerFired(timer))
        }
        let writes = actions.compactMap { if case .write(let bytes) = $0 { Hex.text(bytes, separator: "") } else { nil } }
        #expect(session.state == Self.next(row), "\(row.clause)")
        #expect(Self.matches(row.act, writes, row.state), "\(row.clause) \(row.act): wrote \(writes)")
    }

    /// Evaluation happens within one event, so a row that leads to Checking is observed at its end.
    private static func next(_ row: PHDRow) -> PHDState { row.next == .checkingConfiguration ? .operating : row.next }

    private static func matches(_ act: PHDAct, _ writes: [String], _ state: PHDState) -> Bool {
        let first = writes.first ?? ""
        switch act {
        case .nothing: return writes.isEmpty
        case .accept: return first.hasPrefix("e300002c00005079")
        case .acceptUnknown: return first.hasPrefix("e300002c00035079")
        case .refuse: return first.hasPrefix("e300002c0005507900260000")
        case .abort(let reason): return first == "e6000002\(hex(reason))" && writes.count == 1
        case .answerRelease: return writes == ["e50000020000"]
        case .evaluate: return first.hasPrefix("e70000160014004d0201000e0000ffffffff0d1c0004") && first.hasSuffix("0000")
        case .process: return true
        case .complete: return writes.isEmpty || !first.hasPrefix("e6")
        case .error(let error): return first == "e700000c000a004d03000004\(hex(error))0000"
        case .reject(let problem): return first == "e700000a0008004d04000002\(hex(problem))"
        case .requestRelease: return writes == ["e40000020000"]
        case .confirmConfiguration, .refuseConfiguration: return false
        }
    }

    private enum Event {
        case apdu(String)
        case event(SessionEvent)
        case timer
    }

    private static func hex(_ word: UInt16) -> String { Hex.text([UInt8(word >> 8), UInt8(word & 255)], separator: "") }

    private static let request =
        "e2000032800000000001002a50790026800000008000800000000000000000800000000800091ffffe000101CCCC0001010000000000"
    static let configuration =
        "e70000840082004d0101007c0000ffffffff0d1c007240000002006c0006000100060038092f000400024a040a460002f0400a73000203030a76000a000300064a054a064a07099600020f200a55000c000200080a75000a099000080006000200040024092f00040002482a0a460002f040099600020aa00a55000c000200080a4c000209900008"
    static let report =
        "e700003e003c004d010100360000ffffffff0d1d002cf00000000002002400010012000300060076004c005a20261120071012000002000a00402026112007101200"

    private static func event(_ input: PHDInput) -> Event? {
        switch input {
        case .requestKnown: .apdu(request.replacingOccurrences(of: "CCCC", with: "02bc"))
        case .requestUnknown: .apdu(request.replacingOccurrences(of: "CCCC", with: "4000"))
        case .requestUnacceptable:
            .apdu(
                request.replacingOccurrences(of: "CCCC", with: "02bc").replacingOccurrences(
                    of: "0026800000008000", with: "0026800000002000"))
        case .associationResponse: .apdu("e300002c0000507900268000000080008000000000000000800000000008112233445566778800000000000000000000")
        case .releaseRequest: .apdu("e40000020000")
        case .releaseResponse: .apdu("e50000020000")
        case .abort: .apdu("e60000020000")
        case .configurationReport: .apdu(configuration)
        case .confirmedReport: .apdu(report)
        case .unconfirmedReport: .apdu(report.replacingOccurrences(of: "004d0101", with: "004d0100"))
        case .invocation: .apdu("e700000e000c004d01030006000000000000")
        case .answer, .strayAnswer: .apdu("e700000c000aIIII0300000400010000")
        // The headers agree, so that it is not noise in Unassociated; the event's own length does not.
        case .badlyStructured:
            .apdu(
                "e700003e003c004d010100360000ffffffff0d1dfffff00000000002002400010012000300060076004c005a20261120071012000002000a00402026112007101200"
            )
        case .unreadable: .apdu("e70000020000")
        case .unknownMessage: .apdu("e70000080006004d09990000")
        case .violation: .apdu("deadbeef")
        case .oversize: .apdu("e700ffff")
        case .transportDown: nil
        case .timeout: .timer
        case .release, .abandon, .transportUp, .configurationAccepted, .configurationRefused: nil
        }
    }

    /// A live session that an agent brought into a state.
    static func session(in state: PHDState) -> PHDSession {
        var session = PHDSession(SessionContext())
        func play(_ event: SessionEvent) {
            for action in session.handle(event) { if case .write(let bytes) = action { _ = session.handle(.sent(bytes)) } }
        }
        play(.opened)
        play(.command(.follow))
        switch state {
        case .disconnected, .unassociated, .checkingConfiguration: break
        case .waitingForConfiguration:
            play(.received(Hex.bytes(request.replacingOccurrences(of: "CCCC", with: "4000")) ?? []))
        case .operating, .disassociating:
            play(.received(Hex.bytes(request.replacingOccurrences(of: "CCCC", with: "02bc")) ?? []))
            if state == .disassociating {
                // Half an hour of silence: the first firing only notes that something was received before.
                play(.timerFired(.idle))
                play(.timerFired(.idle))
            }
        }
        return session
    }

    /// Rows with inputs that the loop above cannot produce.
    @Test func rowsOfOurOwnWill() {
        #expect(PHDStateTable.row(.operating, .release)?.next == .disassociating)
        #expect(PHDStateTable.row(.operating, .abandon)?.act == .abort(0))
        #expect(PHDStateTable.row(.checkingConfiguration, .configurationAccepted)?.next == .operating)
        #expect(PHDStateTable.row(.checkingConfiguration, .configurationRefused)?.next == .waitingForConfiguration)
    }

    @Test func refusedConfigurations_AreCapped() {
        var session = Self.session(in: .waitingForConfiguration)
        let offer = Hex.bytes("e700002800260001010100200000ffffffff0d1c00164100000100100009000100010008092f000400024a04") ?? []
        var writes: [[UInt8]] = []
        for _ in 0..<6 {
            for action in session.handle(.received(offer)) { if case .write(let bytes) = action { writes.append(bytes) } }
        }
        // Five refusals, then the association is released and further offers are ignored.
        #expect(writes.count == 6)
        #expect(writes.prefix(5).allSatisfy { $0.suffix(4) == [0x41, 0x00, 0x00, 0x01] })
        #expect(writes.last == [0xE4, 0, 0, 2, 0, 0])
        #expect(session.state == .disassociating)
    }

    @Test func noise_BeforeAnAssociation_IsNeverAnswered_AndFalseAPDUsOnceInAWhile() {
        var session = Self.session(in: .unassociated)
        func writes(_ event: SessionEvent) -> [[UInt8]] {
            session.handle(event).compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
        }
        #expect(writes(.received(Array("READY\r\n".utf8) + [0xE2, 0, 0, 0, 0xE7, 0, 0xFF, 0xFF])).isEmpty)
        let report = Hex.bytes(Self.report) ?? []
        #expect(writes(.received(report)) == [[0xE6, 0, 0, 2, 0, 0]])
        #expect(writes(.received(report)).isEmpty)
        #expect(writes(.timerFired(.holdOff)).isEmpty)
        #expect(writes(.received(report)) == [[0xE6, 0, 0, 2, 0, 0]])
    }
}

/// Tables of numbers and times, from the shared folder if present.
@Suite struct PHDValueTests {
    private struct Row {
        var bytes: [UInt8]
        var value: Any?
    }

    private static func rows(_ name: String) -> [Row] {
        guard let table = PHDVectors.json("values-\(name)"), let values = table["values"] as? [[String: Any]] else { return [] }
        return values.compactMap { row in
            guard let hex = row["hex"] as? String, let bytes = Hex.bytes(hex) else { return nil }
            return Row(bytes: bytes, value: row["value"])
        }
    }

    private static let absences: [String: Absence] = [
        "NaN": .notANumber, "NRes": .notAtThisResolution,
        "+INF": .positiveInfinity, "-INF": .negativeInfinity, "RFU": .reserved,
    ]

    @Test(arguments: ["sfloat", "float"])
    func numbers_AreWhatTheTableSays(_ name: String) {
        for row in Self.rows(name) {
            let number = PHDNumber(row.bytes.span, 0, width: row.bytes.count)
            if let want = row.value as? NSNumber {
                let digits = number.digits
                #expect(
                    digits != nil && abs((digits?.value ?? 0) - want.doubleValue) <= abs(want.doubleValue) * 1e-12, "\(Hex.text(row.bytes))"
                )
                if name == "sfloat", let digits {
                    #expect(
                        PHDNumber.sfloat(digits) == row.bytes.reduce(0) { $0 << 8 | UInt16($1) } || digits.mantissa.magnitude > 2045)
                }
            } else {
                let text = row.value as? String ?? ""
                #expect(Self.absences[text] == number.absence && number.digits == nil, "\(Hex.text(row.bytes)) is \(text)")
            }
        }
    }

    @Test func absoluteTimes_AreWhatTheTableSays() {
        for row in Self.rows("abstime") {
            let bits = row.bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let clock = PHDStamp.absolute(bits)
            switch row.value as? String {
            case nil: #expect(clock == .unset)
            case let text? where text.hasPrefix("invalid:"):
                if case .impossible = clock {} else { #expect(Bool(false), "\(text) became \(clock)") }
            case let text?:
                var buffer = TextBuffer()
                if let time = clock.time { buffer.append(time) }
                let wanted = text.hasSuffix(".00") ? String(text.dropLast(3)) : text
                #expect(buffer.string == wanted)
                #expect(clock.time.map { PHDStamp.bytes(absolute: $0) } == row.bytes)
            }
        }
    }

    @Test func special_IsSpecialOnlyWithExponentZero() {
        #expect(PHDNumber(sfloat: 0x17FF).digits == Digits(mantissa: 2047, exponent: 1))
        #expect(PHDNumber(sfloat: 0xF800).digits == Digits(mantissa: -2048, exponent: -1))
        #expect(PHDNumber(sfloat: 0x07FF).absence == .notANumber)
        #expect(PHDNumber(sfloat: 0x0801).absence == .reserved)
        #expect(PHDNumber(float: 0x007F_FFFF).absence == .notANumber)
        #expect(PHDNumber(sfloat: 0xF258).digits == Digits(mantissa: 600, exponent: -1))
    }

    @Test func baseOffsetTime_IsLocalWithItsOffset() {
        // 3988000000 s since 1900 = 2026-05-17T09:46:40Z, half a second, +60 min: shared vector bp-botime.
        guard case .time(let time) = PHDStamp.baseOffset(0xEDB4_0D00_8000_003C) else { return #expect(Bool(false)) }
        #expect(time.year == 2026 && time.month == 5 && time.day == 17 && time.hour == 10 && time.minute == 46 && time.second == 40)
        #expect(time.hundredths == 50 && time.utcOffset == 60)
        #expect(PHDStamp.bytes(baseOffset: time) == [0xED, 0xB4, 0x0D, 0x00, 0x80, 0x00, 0x00, 0x3C])
    }
}

enum PHDVectors {
    static let folder: URL? = {
        let path =
            ProcessInfo.processInfo.environment["CUFF_VECTORS"]
            ?? CaptureFile.root.deletingLastPathComponent().appendingPathComponent("shared/vectors").path
        let url = URL(fileURLWithPath: path).appendingPathComponent("phd")
        guard FileManager.default.fileExists(atPath: url.path) else {
            print("note: no shared vectors at \(url.path); their tables have nothing to check")
            return nil
        }
        return url
    }()

    static func json(_ name: String) -> [String: Any]? {
        guard let url = folder?.appendingPathComponent("\(name).expected.json"), let data = try? Data(contentsOf: url) else { return nil }
        return try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    }

    /// The lines of a vector: direction and bytes.
    static func lines(_ name: String) -> [(fromCuff: Bool, bytes: [UInt8])] {
        guard let file = CaptureFile.shared.first(where: { $0.url.lastPathComponent == "\(name).hex" }) else { return [] }
        return file.items.compactMap { item in
            switch item.content {
            case .fromCuff(let bytes): (true, bytes)
            case .toCuff(let bytes): (false, bytes)
            case .event: nil
            }
        }
    }
}

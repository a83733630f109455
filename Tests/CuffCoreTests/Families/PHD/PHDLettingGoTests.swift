import Testing

@testable import CuffCore

/// What was started in an association ends before it does: scanners, and continuous data requests.
@Suite struct PHDLettingGoTests {
    private static let oximeter: [[UInt8]] = [
        PHDStandardConfiguration.numeric(1, 19384, spec: 0x40C0, unit: 544, map: [(0x0A4C, 2)]),
        scanner(40), scanner(55),
    ]

    private static func scanner(_ handle: UInt16) -> [UInt8] {
        PHDStandardConfiguration.object(18, handle, count: 1) {
            $0.attribute(PHDAttribute.scanMap) {
                $0.list(1) {
                    $0.append16(1)
                    PHDStandardConfiguration.map([(0x0A4C, 2)], into: &$0)
                }
            }
        }
    }

    /// An agent with this configuration that allows every data request.
    private func manager(_ command: SessionCommand, _ options: [String: String]) -> PHDVectorTests.Manager {
        var manager = PHDVectorTests.Manager(command, options: options)
        var request = PHDSimulatedCuff(["configuration": "extended"]).associationRequest
        // data-req-mode-flags at 46, data-req-init-manager-count at 49.
        (request[46], request[47], request[49]) = (0x8E, 0xE1, 1)
        manager.play(.received(request))
        manager.play(.received(PHDBytes.configuration(Self.oximeter)))
        return manager
    }

    /// The agent answers the last request of this kind, by its invoke-id.
    private func answer(_ manager: inout PHDVectorTests.Manager, _ message: UInt16, _ body: [UInt8]) {
        guard let last = manager.writes.last.flatMap({ Hex.bytes($0) }), let invoke = last.span.bigEndian16(6) else { return }
        manager.play(.received(PHDWriter.presentation(invoke: invoke, message) { $0.append(body) }))
    }

    private func answerScanner(_ manager: inout PHDVectorTests.Manager, _ handle: UInt16, isOn: UInt16) {
        answer(&manager, PHDMessage.setResult, PHDBytes.words(handle, 1, 6, 0x0953, 2, isOn))
    }

    private func answerData(_ manager: inout PHDVectorTests.Manager, result: UInt16 = 0) {
        answer(&manager, PHDMessage.actionResult, PHDBytes.words(0, 0x0C1B, 10, 0xFFFF, 0xFFFF, result, 0, 0))
    }

    /// MDS attributes: an empty list.
    private func answerFacts(_ manager: inout PHDVectorTests.Manager) { answer(&manager, PHDMessage.getResult, PHDBytes.words(0, 0, 0)) }

    private func sets(_ manager: PHDVectorTests.Manager) -> [String] {
        manager.writes.filter { $0.contains("0105000e") }.map { String($0.suffix(28)) }
    }

    @Test func scanners_AreSwitchedOffInTurn_ThenTheReleaseIsRequested() {
        var manager = manager(.follow, ["scanners": "yes"])
        answerFacts(&manager)
        answerScanner(&manager, 40, isOn: 1)
        answerScanner(&manager, 55, isOn: 1)
        var actions = SessionActions()
        let hasWords = manager.session.endInOrder(into: &actions)
        #expect(hasWords)
        let off = Array(actions).compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
        // SET Operational-State of handle 55 to 0; invoke-ids 1 to 3 are used.
        #expect(off == [Hex.bytes("e70000160014 00040105000e0037 000100080000095300020000")])
        manager.writes.append(Hex.text(off.first ?? [], separator: ""))
        answerScanner(&manager, 55, isOn: 0)
        #expect(manager.writes.last == "e70000160014 00050105000e0028 000100080000095300020000".replacing(" ", with: ""))
        answerScanner(&manager, 40, isOn: 0)
        #expect(manager.writes.last == "e40000020000")
        manager.take("e50000020000")
        #expect(manager.outcome == .complete)
    }

    @Test func silentAgent_IsLetGoAfterOneRequest() {
        var manager = manager(.information, ["scanners": "yes"])
        answerFacts(&manager)
        answerScanner(&manager, 40, isOn: 1)
        answerScanner(&manager, 55, isOn: 1)
        #expect(manager.writes.last?.hasSuffix("0037 000100080000095300020000".replacing(" ", with: "")) == true)
        manager.play(.timerFired(.response))
        #expect(manager.writes.last == "e40000020000")
    }

    @Test func refusedScanner_IsNotSwitchedOff() {
        var manager = manager(.information, ["scanners": "yes"])
        answerFacts(&manager)
        answer(&manager, PHDMessage.error, PHDBytes.words(24, 0))
        answer(&manager, PHDMessage.error, PHDBytes.words(24, 0))
        #expect(manager.writes.last == "e40000020000")
        #expect(sets(manager).count == 2)
    }

    /// data-req-id 1, mode 8220 or 8440 …, time in ticks, every person, class, handles: docs/PHD.md §7.3.
    @Test func requests_AreOfTheWantedKind() {
        func asked(_ options: [String: String]) -> String? {
            var manager = manager(.information, options)
            answerFacts(&manager)
            return manager.writes.first { $0.contains("0c1b") }.map { String($0.dropFirst(36)) }
        }
        #expect(asked(["data-request": "yes"]) == "0001 8880 00000000 ffff 0000 00000000".replacing(" ", with: ""))
        #expect(asked(["data-request": "class:6"]) == "0001 8480 00000000 ffff 0006 00000000".replacing(" ", with: ""))
        #expect(asked(["data-request": "handle:1+10"]) == "0001 8280 00000000 ffff 0000 00020004 0001000a".replacing(" ", with: ""))
        // 30 s are 240,000 ticks.
        #expect(asked(["data-request": "all", "data-period": "30"]) == "0001 8840 0003a980 ffff 0000 00000000".replacing(" ", with: ""))
        #expect(asked(["data-request": "class:6", "data-period": "0"]) == "0001 8420 00000000 ffff 0006 00000000".replacing(" ", with: ""))
    }

    @Test func runningRequest_IsStopped() {
        var manager = manager(.information, ["data-request": "class:6", "data-period": "0"])
        answerFacts(&manager)
        answerData(&manager)
        // The same request without its start bit.
        #expect(manager.writes.last.map { String($0.dropFirst(36)) } == "0001 0420 00000000 ffff 0006 00000000".replacing(" ", with: ""))
        answerData(&manager)
        #expect(manager.writes.last == "e40000020000")
    }

    @Test func refusedRequest_IsNotStopped() {
        var manager = manager(.information, ["data-request": "class:6", "data-period": "0"])
        answerFacts(&manager)
        answerData(&manager, result: 4)
        #expect(manager.writes.last == "e40000020000")
    }

    @Test func agentsThatCannot_AreNotAsked() {
        var manager = PHDVectorTests.Manager(.information, options: ["data-request": "handle:1"])
        manager.play(.received(PHDSimulatedCuff(["configuration": "extended"]).associationRequest))
        manager.play(.received(PHDBytes.configuration(Self.oximeter)))
        answerFacts(&manager)
        #expect(!manager.writes.contains { $0.contains("0c1b") } && manager.writes.last == "e40000020000")
    }

    @Test(arguments: [
        ["data-request": "some"], ["data-request": "class:x"], ["data-request": "handle:"], ["data-request": "all", "data-period": "-1"],
        ["from": "yesterday"], ["to": "2026-02-30"], ["from": "2026-05-06", "to": "2026-05-05"],
    ])
    func badOptions_AreRefusedBeforeAnythingIsSent(_ options: [String: String]) {
        let manager = PHDVectorTests.Manager(.readMemory(user: nil), options: options)
        guard case .unsupported = manager.outcome else {
            Issue.record("\(String(describing: manager.outcome))")
            return
        }
        #expect(manager.writes.isEmpty)
    }
}

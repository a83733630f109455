import Testing

@testable import CuffCore

/// The smaller values of `PHDSession`.
@Suite struct PHDSessionPartTests {

    @Test func anObserver_NeverActsAgain() {
        var command = PHDCommand()
        #expect(command.isPassive)
        command.act()
        #expect(!command.isPassive)
        command.observe()
        command.act()
        #expect(command.isPassive && command.isObserver)
    }

    @Test func onlyCommandsThatEnd_Strive() {
        var command = PHDCommand()
        command.act()
        #expect(!command.isStriving && command.wantsStores)
        command.begin(.clear(user: 2))
        #expect(command.isStriving && command.user == 2)
        command.begin(.information)
        #expect(command.isStriving && !command.wantsStores && command.user == nil)
    }

    @Test func requests_AreNumberedFromOne_AndLimited() {
        var queue = PHDRequestQueue()
        #expect(queue.number() == 1)
        for _ in 2...0xFFFF { _ = queue.number() }
        #expect(queue.number() == 1)
        for invoke in 1...20 as ClosedRange<UInt16> { queue.note(PHDManagerAPDU.get(invoke: invoke, handle: 0)) }
        #expect(queue.count == 16 && queue.first?.invoke == 5)
        #expect([queue.take(4)?.kind, queue.take(20)?.kind] == [nil, .facts])
        #expect(!queue.contains(20))
        queue.note(PHDManagerAPDU.releaseResponse)
        #expect(queue.count == 15, "a release is no request")
    }

    @Test func echoes_AreRecognisedOnce_AndInOrder() {
        var echoes = PHDEchoes()
        let apdus = (0...2 as ClosedRange<UInt16>).map { PHDManagerAPDU.abort($0) }
        for apdu in apdus { echoes.expect(apdu) }
        #expect(echoes.isEcho(apdus[1]) == true)
        // Writes before an echo that came are no longer awaited.
        #expect([0, 2, 2].map { echoes.isEcho(apdus[$0]) } == [false, true, false])
        echoes.expect(confirmations: [1, 2])
        #expect([[1], [1, 2], [1, 2]].map { echoes.isEcho(confirmations: $0) } == [false, true, false])
    }

    @Test func everythingStarted_IsStoppedOnce() {
        var streams = PHDStreams()
        let scanners = [4, 5].map { PHDConfiguration.Scanner(handle: $0) }
        #expect(!streams.areRunning)
        #expect([0, 1, 2].map { _ in streams.nextToStart(of: scanners) } == [4, 5, nil])
        #expect([streams.requestsData(), streams.requestsData()] == [true, false])
        streams.dataRequestRuns()
        streams.scannerFailed(4)
        #expect(streams.areRunning)
        #expect([0, 1, 2].map { _ in streams.nextToStop() } == [.dataRequest, .scanner(5), nil])
        #expect(!streams.areRunning)
    }

    @Test func clock_IsSetOnceInAnAssociation() {
        var agent = PHDAgent()
        #expect([agent.noteSecond(), agent.noteSecond()] == [true, true])
        #expect([agent.beginSetting(), agent.beginSetting(), agent.noteSecond()] == [true, false, false])
        #expect(agent.elapsedSeconds == 2)
        agent.readBack()
        #expect(agent.isReadingBack)
        agent.leave()
        #expect(!agent.isReadingBack)
        #expect(agent.beginSetting() == false)
        agent.setAgain()
        #expect(agent.beginSetting() == true)
    }

    @Test func aBegunAPDU_IsWatchedUntilItEnds() {
        var silence = PHDSilence()
        var reader = FrameReader(PHDFrame())
        func timers(_ isPassive: Bool = false) -> [String] {
            var actions = SessionActions()
            silence.watch(reader, isPassive: isPassive, into: &actions)
            return actions.map { action in
                switch action {
                case .arm(let timer, _): "arm \(timer.rawValue)"
                case .disarm(let timer): "disarm \(timer.rawValue)"
                default: "other"
                }
            }
        }
        let (quiet, frame) = (TimerID.silence.rawValue, TimerID.frame.rawValue)
        #expect(timers().isEmpty)
        reader.feed([0xE2, 0, 0, 50, 0x80])
        while reader.next() != nil {}
        #expect(timers() == ["arm \(quiet)", "arm \(frame)"])
        // More of the same APDU: the limit for the whole stays.
        reader.feed([0])
        while reader.next() != nil {}
        #expect(timers() == ["arm \(quiet)"])
        #expect(timers(true) == ["disarm \(quiet)", "disarm \(frame)"])
    }
}

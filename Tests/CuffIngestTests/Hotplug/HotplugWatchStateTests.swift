import CuffCore
import Testing

@testable import CuffIngest

@Suite struct WatchStateTests {
    private let drivers = HotplugSample.drivers
    private let cuff = HotplugSample.device(HotplugSample.hid())
    private let adapter = HotplugSample.device(HotplugSample.adapter())

    private func assign(_ text: String) throws -> Assignment { try Assignment(text, drivers: drivers) }

    private func state(once: Bool = false, _ assignments: String...) throws -> WatchState {
        WatchState(settings: .init(isOnce: once), assignments: try assignments.map(assign), drivers: drivers)
    }

    /// Without notices.
    private func acts(_ effects: [WatchState.Effect]) -> [WatchState.Effect] {
        effects.filter { if case .tell = $0 { false } else { true } }
    }

    private func told(_ effects: [WatchState.Effect]) -> [WatchNotice] {
        effects.compactMap { if case .tell(let notice) = $0 { notice } else { nil } }
    }

    private func opened(_ effects: [WatchState.Effect]) -> LinkID? {
        effects.lazy.compactMap { if case .open(let link, _) = $0 { link } else { nil } }.first
    }

    private func plan(_ effects: [WatchState.Effect]) -> LinkPlan? {
        effects.lazy.compactMap { if case .open(_, let plan) = $0 { plan } else { nil } }.first
    }

    private let broken = LinkEnd.failed("no answer", status: .tryAgain)

    // MARK: Opening

    @Test func claimedDevice_IsOpened_GenericOneIsToldOf() throws {
        var state = try state()
        let effects = state.handle(.hotplug(.plugged(cuff)), at: .zero)
        #expect(plan(effects)?.driver == "exact-hid")
        #expect(plan(effects)?.identity == "usb:0590:0028", "it is the same cuff in any socket")
        let generic = state.handle(.hotplug(.plugged(adapter)), at: .zero)
        #expect(acts(generic).isEmpty, "a bridge chip is not opened")
        #expect(told(generic) == [.unclaimed(adapter, .unassigned(["and-std", "exact-tty"]))])
        #expect(state.places.count == 1)
    }

    @Test func assignment_GivesLineOptionsAndName() throws {
        var state = try state("port:1-1.2=and-std,baud=2400,name=hallway,variant=inbody")
        let plan = try #require(self.plan(state.handle(.hotplug(.plugged(adapter)), at: .zero)))
        #expect(plan.line?.rate == 2400 && plan.options == ["variant": "inbody"])
        #expect(plan.identity == "hallway", "the same readings get the same ids in any socket")
    }

    @Test func commands_AreReadingAndListening_Only() {
        func commands(_ capabilities: Capabilities) -> [SessionCommand] {
            var driver = CuffDriver.andStd
            driver.capabilities = capabilities
            return LinkPlan.commands(for: driver)
        }
        #expect(commands([.storedReadings, .push, .measure, .erase, .setClock]) == [.readMemory(user: nil), .follow])
        #expect(commands([.storedReadings]) == [.readMemory(user: nil)])
        #expect(commands([.push]) == [.follow])
        #expect(commands([.measure]) == [.follow])
    }

    @Test func idleWatch_SetsNoTimer() throws {
        var state = try state()
        for event in [HotplugEvent.plugged(cuff), .plugged(adapter), .settled] {
            for effect in state.handle(.hotplug(event), at: .zero) {
                if case .wake = effect { Issue.record("a timer without need") }
            }
        }
    }

    // MARK: Trying again

    @Test func failedLink_IsTriedAgain_LessAndLessOften() throws {
        var state = try state()
        var link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        var now = Duration.zero
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            let effects = state.handle(.ended(link, broken), at: now)
            #expect(acts(effects) == [.wake(at: now + .seconds(pause))])
            now += .seconds(pause)
            let again = state.handle(.timer, at: now)
            link = try #require(opened(again))
            #expect(acts(again).count == 1, "no other timer")
        }
    }

    @Test func timerThatCameEarly_OpensNothing() throws {
        var state = try state()
        let link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        _ = state.handle(.ended(link, broken), at: .zero)
        #expect(acts(state.handle(.timer, at: .milliseconds(900))) == [.wake(at: .seconds(1))], "and asks for it again")
        #expect(opened(state.handle(.timer, at: .seconds(1))) != nil)
    }

    @Test func sameFailure_IsToldOnce_AnotherAnew() throws {
        var state = try state()
        var link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        #expect(told(state.handle(.ended(link, broken), at: .zero)).count == 1)
        link = try #require(opened(state.handle(.timer, at: .seconds(1))))
        #expect(told(state.handle(.ended(link, broken), at: .seconds(1))).isEmpty)
        link = try #require(opened(state.handle(.timer, at: .seconds(3))))
        #expect(told(state.handle(.ended(link, .failed("busy", status: .tryAgain)), at: .seconds(3))).count == 1)
    }

    @Test func linkThatHeld_OrBroughtAReading_BeginsAnew() throws {
        var state = try state()
        var link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        _ = state.handle(.ended(link, broken), at: .zero)
        link = try #require(opened(state.handle(.timer, at: .seconds(1))))
        #expect(acts(state.handle(.ended(link, broken), at: .seconds(40))) == [.wake(at: .seconds(41))], "it held 39 s")
        link = try #require(opened(state.handle(.timer, at: .seconds(41))))
        _ = state.handle(.received(link), at: .seconds(42))
        #expect(acts(state.handle(.ended(link, broken), at: .seconds(42))) == [.wake(at: .seconds(43))])
    }

    @Test func readToTheEnd_IsNotReadAgain_UnlessAsked() throws {
        var state = try state()
        let link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        let effects = state.handle(.ended(link, .complete), at: .seconds(2))
        #expect(acts(effects).isEmpty)
        #expect(told(effects).map(\.description) == ["/dev/hidraw0: read to the end"])
        var settings = WatchState.Settings()
        settings.again = .seconds(600)
        var polling = WatchState(settings: settings, drivers: drivers)
        let other = try #require(opened(polling.handle(.hotplug(.plugged(cuff)), at: .zero)))
        #expect(acts(polling.handle(.ended(other, .complete), at: .seconds(2))) == [.wake(at: .seconds(602))])
        #expect(opened(polling.handle(.timer, at: .seconds(602))) != nil)
    }

    /// A wrong configuration is not tried again; a changed plan is.
    @Test func refusedLink_IsNotTriedAgain_UntilItsPlanChanges() throws {
        var state = try state("port:1-1.2=and-std")
        let link = try #require(opened(state.handle(.hotplug(.plugged(adapter)), at: .zero)))
        let effects = state.handle(.ended(link, .refused("no such rate", status: .badConfiguration)), at: .zero)
        #expect(acts(effects).isEmpty, "no timer")
        #expect(told(effects).count == 1)
        #expect(acts(state.handle(.timer, at: .seconds(3600))).isEmpty)
        let changed = [try assign("port:1-1.2=and-std,baud=2400")]
        #expect(plan(state.handle(.reload(changed), at: .seconds(3601)))?.line?.rate == 2400)
    }

    @Test func once_RefusedLink_EndsTheRun_WithItsCode() throws {
        var state = try state(once: true)
        let link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        _ = state.handle(.hotplug(.settled), at: .zero)
        let effects = state.handle(.ended(link, .refused("no such rate", status: .badConfiguration)), at: .zero)
        #expect(acts(effects) == [.end(.badConfiguration)])
    }

    /// The device was unplugged and plugged in again.
    @Test func eventsOfAnOldLink_DoNotReachTheNewLink() throws {
        var state = try state(once: true, "port:1-1.2=and-std")
        // Another link, still busy, keeps the run from ending.
        _ = state.handle(.hotplug(.plugged(adapter)), at: .zero)
        let first = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        _ = state.handle(.hotplug(.settled), at: .zero)
        _ = state.handle(.hotplug(.unplugged(cuff)), at: .seconds(60))
        let second = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .seconds(62))))
        #expect(acts(state.handle(.listening(first), at: .seconds(63))).isEmpty, "the new link still reads the memory")
        #expect(acts(state.handle(.listening(second), at: .seconds(69))) == [.wake(at: .seconds(74))])
    }

    // MARK: Coming and going

    @Test func unplug_ClosesTheLink_AndReplugOpensAnother() throws {
        var state = try state()
        let first = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        #expect(acts(state.handle(.hotplug(.unplugged(cuff)), at: .seconds(5))) == [.close(first)])
        let second = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .seconds(9))))
        #expect(second != first)
        #expect(acts(state.handle(.ended(first, .unplugged), at: .seconds(9))).isEmpty, "the old link's end is old news")
        #expect(state.places.count == 1)
    }

    @Test func hangupBeforeTheEvent_IsNoError() throws {
        var state = try state()
        let link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        let effects = state.handle(.ended(link, .unplugged), at: .seconds(5))
        #expect(told(effects).isEmpty)
        let gone = state.handle(.hotplug(.unplugged(cuff)), at: .seconds(5))
        #expect(acts(gone) == [.wake(at: nil)], "nothing is tried that is not there")
    }

    @Test func flicker_IsHintedAtOnce_NotReportedAsFailure() throws {
        var state = try state("port:1-1.2=and-std")
        func flicker(_ start: Duration) -> [WatchNotice] {
            var all = state.handle(.hotplug(.plugged(adapter)), at: start)
            let link = opened(all)!
            all += state.handle(.ended(link, .unplugged), at: start + .milliseconds(400))
            all += state.handle(.hotplug(.unplugged(adapter)), at: start + .milliseconds(401))
            all += state.handle(.hotplug(.plugged(adapter)), at: start + .milliseconds(900))
            all += state.handle(.hotplug(.unplugged(adapter)), at: start + .seconds(30))
            return told(all)
        }
        let first = flicker(.zero)
        #expect(first.contains(.flickered(adapter)))
        #expect(!first.contains { if case .failed = $0 { true } else { false } })
        #expect(!flicker(.seconds(100)).contains(.flickered(adapter)), "said once")
    }

    @Test func slowReplug_IsNoFlicker() throws {
        var state = try state()
        _ = state.handle(.hotplug(.plugged(cuff)), at: .zero)
        _ = state.handle(.hotplug(.unplugged(cuff)), at: .milliseconds(500))
        let effects = state.handle(.hotplug(.plugged(cuff)), at: .seconds(4))
        #expect(!told(effects).contains(.flickered(cuff)))
    }

    @Test func accessThatComesLater_IsTriedAtOnce() throws {
        var state = try state()
        let link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        _ = state.handle(.ended(link, .failed("permission denied", status: .noPermission)), at: .zero)
        var changed = cuff
        changed.links = ["/dev/cuff/x"]
        #expect(opened(state.handle(.hotplug(.changed(changed)), at: .milliseconds(50))) != nil)
    }

    @Test func newsOfLinks_DoesNotDisturbAWorkingOne() throws {
        var state = try state()
        _ = state.handle(.hotplug(.plugged(cuff)), at: .zero)
        var changed = cuff
        changed.links = ["/dev/cuff/x"]
        #expect(acts(state.handle(.hotplug(.changed(changed)), at: .seconds(1))).isEmpty)
    }

    @Test func ruleThatComesLater_ClaimsTheDevice() throws {
        var state = try state()
        #expect(acts(state.handle(.hotplug(.plugged(adapter)), at: .zero)).isEmpty)
        var changed = adapter
        changed.properties["ID_CUFF_DRIVER"] = "and-std"
        #expect(plan(state.handle(.hotplug(.changed(changed)), at: .seconds(1)))?.driver == "and-std")
    }

    @Test func oneBrokenCuff_DoesNotTouchAnother() throws {
        var state = try state("port:1-1.2=and-std")
        let broken = try #require(opened(state.handle(.hotplug(.plugged(adapter)), at: .zero)))
        _ = state.handle(.hotplug(.plugged(cuff)), at: .zero)
        for effect in state.handle(.ended(broken, self.broken), at: .seconds(1)) {
            if case .close = effect { Issue.record("the other cuff's link was closed") }
        }
        #expect(state.places.count == 1)
    }

    // MARK: Addresses without hotplug

    @Test func networkAndPseudoTerminals_AreOpenedWhenSettled() throws {
        var state = try state("tcp://moxa:4001=and-std", "/dev/pts/3=and-std", "port:9-9=and-std")
        let effects = state.handle(.hotplug(.settled), at: .zero)
        let targets = effects.compactMap { if case .open(_, let plan) = $0 { plan.target } else { nil } }
        #expect(targets == [.place(.tcp(host: "moxa", port: 4001)), .place(.node("/dev/pts/3"))])
        #expect(told(effects).last?.description == "port:9-9 (--assign) is not plugged in; waiting for it")
        let link = try #require(opened(effects))
        #expect(acts(state.handle(.ended(link, .unplugged), at: .zero)) == [.wake(at: .seconds(1))], "it may come back")
    }

    // MARK: Reload

    @Test func reload_KeepsWhatDidNotChange_AndReopensWhatDid() throws {
        var state = try state("port:1-1.2=and-std", "tcp://moxa:4001=and-std")
        let serial = try #require(opened(state.handle(.hotplug(.plugged(adapter)), at: .zero)))
        let network = try #require(opened(state.handle(.hotplug(.settled), at: .zero)))
        let same = [try assign("port:1-1.2=and-std"), try assign("tcp://moxa:4001=and-std")]
        #expect(acts(state.handle(.reload(same), at: .seconds(1))).isEmpty)
        let changed = [try assign("port:1-1.2=and-std,baud=2400"), try assign("tcp://other:1=and-std")]
        let effects = acts(state.handle(.reload(changed), at: .seconds(2)))
        #expect(effects.contains(.close(serial)) && effects.contains(.close(network)))
        #expect(plan(effects)?.target == .place(.tcp(host: "other", port: 1)))
        let again = state.handle(.ended(serial, .closed), at: .seconds(3))
        #expect(plan(again)?.line?.rate == 2400)
        #expect(acts(state.handle(.ended(network, .closed), at: .seconds(3))).isEmpty)
    }

    @Test func reload_ThatTakesTheAssignmentAway_ClosesTheLink() throws {
        var state = try state("port:1-1.2=and-std")
        let link = try #require(opened(state.handle(.hotplug(.plugged(adapter)), at: .zero)))
        #expect(acts(state.handle(.reload([]), at: .seconds(1))) == [.close(link)])
        #expect(acts(state.handle(.ended(link, .closed), at: .seconds(1))).isEmpty)
        #expect(state.places.count == 0)
    }

    @Test func reload_ThatAssigns_Opens() throws {
        var state = try state()
        _ = state.handle(.hotplug(.plugged(adapter)), at: .zero)
        #expect(plan(state.handle(.reload([try assign("port:1-1.2=and-std")]), at: .seconds(1)))?.driver == "and-std")
    }

    // MARK: The end

    @Test func stop_ClosesEveryLink_ThenEnds() throws {
        var state = try state("port:1-1.2=and-std")
        let first = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        let second = try #require(opened(state.handle(.hotplug(.plugged(adapter)), at: .zero)))
        #expect(acts(state.handle(.stop, at: .seconds(1))) == [.close(first), .close(second)])
        #expect(state.handle(.stop, at: .seconds(1)).isEmpty)
        #expect(acts(state.handle(.ended(first, .closed), at: .seconds(2))).isEmpty)
        #expect(acts(state.handle(.hotplug(.plugged(cuff)), at: .seconds(2))).isEmpty, "nothing new is opened")
        #expect(acts(state.handle(.ended(second, .closed), at: .seconds(2))) == [.end(.done)])
        #expect(state.handle(.timer, at: .seconds(3)).isEmpty)
    }

    @Test func stopWithNothingOpen_EndsAtOnce() throws {
        var state = try state()
        #expect(state.handle(.stop, at: .zero) == [.end(.done)])
    }

    @Test func once_EndsWhenAllIsRead() throws {
        var state = try state(once: true)
        let link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        #expect(acts(state.handle(.hotplug(.settled), at: .zero)).isEmpty)
        #expect(acts(state.handle(.ended(link, .complete), at: .seconds(3))) == [.end(.done)])
    }

    @Test func once_WaitsForSilence_WhereACuffPushes() throws {
        var state = try state(once: true)
        let link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        _ = state.handle(.hotplug(.settled), at: .zero)
        #expect(acts(state.handle(.listening(link), at: .seconds(2))) == [.wake(at: .seconds(7))])
        #expect(acts(state.handle(.received(link), at: .seconds(6))) == [.wake(at: .seconds(11))])
        #expect(acts(state.handle(.timer, at: .seconds(11))).first == .close(link))
        #expect(acts(state.handle(.ended(link, .closed), at: .seconds(11))).last == .end(.done))
    }

    /// The first silent cuff must not use up the only timer.
    @Test func once_WaitsForTheLastOfSeveral() throws {
        var state = try state(once: true, "port:1-1.2=and-std")
        let first = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        let second = try #require(opened(state.handle(.hotplug(.plugged(adapter)), at: .zero)))
        _ = state.handle(.hotplug(.settled), at: .zero)
        #expect(acts(state.handle(.listening(first), at: .seconds(1))) == [.wake(at: .seconds(6))])
        #expect(acts(state.handle(.listening(second), at: .seconds(3))).isEmpty)
        #expect(acts(state.handle(.timer, at: .seconds(6))) == [.wake(at: .seconds(8))])
        #expect(acts(state.handle(.timer, at: .seconds(8))).prefix(2) == [.close(first), .close(second)])
    }

    @Test func once_GivesUpAfterThreeTries_WithTheFailuresCode() throws {
        var state = try state(once: true)
        var link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        _ = state.handle(.hotplug(.settled), at: .zero)
        _ = state.handle(.ended(link, broken), at: .zero)
        link = try #require(opened(state.handle(.timer, at: .seconds(1))))
        _ = state.handle(.ended(link, broken), at: .seconds(1))
        link = try #require(opened(state.handle(.timer, at: .seconds(3))))
        let effects = state.handle(.ended(link, broken), at: .seconds(3))
        #expect(acts(effects).last == .end(.tryAgain))
        #expect(told(effects).last?.description.hasSuffix("giving up") == true)
    }

    @Test func once_WithNothingToRead_Is69() throws {
        var state = try state(once: true)
        _ = state.handle(.hotplug(.plugged(adapter)), at: .zero)
        #expect(acts(state.handle(.hotplug(.settled), at: .zero)) == [.end(.unavailable)])
    }

    @Test func once_UnpluggedWhileReading_Is74() throws {
        var state = try state(once: true)
        let link = try #require(opened(state.handle(.hotplug(.plugged(cuff)), at: .zero)))
        _ = state.handle(.hotplug(.settled), at: .zero)
        _ = state.handle(.hotplug(.unplugged(cuff)), at: .seconds(1))
        #expect(acts(state.handle(.ended(link, .unplugged), at: .seconds(1))).last == .end(.inputOutput))
    }

    /// Events in any order: at most one link per device, and a stop always ends the run.
    @Test func anyOrderOfEvents_KeepsTheRules() throws {
        var random = SplitMix64(seed: 5)
        for round in 0..<300 {
            var state = try state(once: round % 3 == 0, "port:1-1.2=and-std", "/dev/pts/1=and-std")
            var open: Set<LinkID> = []
            var nodes: [LinkID: String] = [:]
            var now = Duration.zero
            var isOver = false
            func perform(_ effects: [WatchState.Effect]) {
                for effect in effects {
                    switch effect {
                    case .open(let link, let plan):
                        #expect(!open.contains { nodes[$0] == plan.place && !closing.contains($0) }, "two links on \(plan.place)")
                        open.insert(link)
                        nodes[link] = plan.place
                    case .close(let link):
                        #expect(open.contains(link))
                        closing.insert(link)
                    case .end:
                        #expect(open.isEmpty && !isOver)
                        isOver = true
                    case .wake, .tell: break
                    }
                }
            }
            var closing: Set<LinkID> = []
            func end(_ link: LinkID, _ how: LinkEnd) {
                open.remove(link)
                closing.remove(link)
                perform(state.handle(.ended(link, how), at: now))
            }
            for _ in 0..<60 {
                now += .milliseconds(Int64(random.next() % 1500))
                let device = random.next() % 2 == 0 ? cuff : adapter
                switch random.next() % 9 {
                case 0, 1: perform(state.handle(.hotplug(.plugged(device)), at: now))
                case 2: perform(state.handle(.hotplug(.unplugged(device)), at: now))
                case 3: perform(state.handle(.hotplug(.settled), at: now))
                case 4, 5: perform(state.handle(.timer, at: now))
                case 6: perform(state.handle(.reload(random.next() % 2 == 0 ? [] : [try assign("port:1-1.2=exact-tty")]), at: now))
                default:
                    guard let link = open.min() else { continue }
                    end(link, [.complete, .unplugged, broken, .closed][Int(random.next() % 4)])
                }
            }
            perform(state.handle(.stop, at: now))
            for link in open.sorted() { end(link, .closed) }
            #expect(isOver, "round \(round) does not end")
        }
    }
}

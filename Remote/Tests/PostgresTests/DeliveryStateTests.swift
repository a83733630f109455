import PostgresStore
import RemoteSink
import Testing

@testable import cuff_sink_postgres

@Suite struct DeliveryStateTests {
    private let away = ServerFault(.later, "away", isConnectionLost: true)

    private func connected() -> DeliveryState {
        var state = DeliveryState()
        #expect(state.start(at: 0) == [.connect])
        #expect(state.handle(.database(.connected), at: 1) == [])
        return state
    }

    @Test func ok_ComesAfterTheCommit() {
        var state = connected()
        let lines = [reading("a"), reading("b", revision: 2)]
        #expect(state.handle(.received(lines.map { .reading($0) }), at: 2) == [.execute(lines)])
        #expect(state.handle(.time, at: 3) == [])
        #expect(state.handle(.database(.committed), at: 4) == [.answer([.ok(id: "a", revision: 0), .ok(id: "b", revision: 2)])])
    }

    @Test func linesThatComeMeanwhile_AreTheNextBatch() {
        var state = connected()
        _ = state.handle(.received([.reading(reading("a"))]), at: 2)
        #expect(state.handle(.received([.reading(reading("b")), .reading(reading("c"))]), at: 2) == [])
        #expect(
            state.handle(.database(.committed), at: 3) == [.answer([.ok(id: "a", revision: 0)]), .execute([reading("b"), reading("c")])])
    }

    @Test func aBatch_IsBounded() {
        var state = connected()
        let lines = (0..<2500).map { reading("\($0)") }
        #expect(state.handle(.received(lines.map { .reading($0) }), at: 2) == [.execute(Array(lines[..<1000]))])
        #expect(state.wantsInput)
        _ = state.handle(.received(lines.map { .reading($0) }), at: 2)
        #expect(!state.wantsInput)
    }

    @Test func oneBadReading_IsRefusedWithTheServersWords() {
        var state = connected()
        let lines = [reading("a"), reading("b")]
        _ = state.handle(.received(lines.map { .reading($0) }), at: 2)
        let bad = ServerFault(.reading, "value overflows numeric format (22003)")
        #expect(state.handle(.database(.failed(bad)), at: 3) == [.execute([lines[0]])])
        #expect(state.handle(.database(.committed), at: 4) == [.answer([.ok(id: "a", revision: 0)]), .execute([lines[1]])])
        #expect(
            state.handle(.database(.failed(bad)), at: 5) == [
                .answer([.refuse(id: "b", revision: 0, "value overflows numeric format (22003)")])
            ])
        // The connection still serves.
        #expect(state.handle(.received([.reading(lines[0])]), at: 6) == [.execute([lines[0]])])
    }

    @Test func serverAway_IsLater_AndNothingIsAcknowledgedAfterwards() {
        var state = DeliveryState()
        _ = state.start(at: 0)
        _ = state.handle(.received([.reading(reading("a"))]), at: 0)
        #expect(state.handle(.database(.failed(away)), at: 1) == [.answer([.later("away")]), .disconnect])
        #expect(state.handle(.database(.connected), at: 2) == [])
        #expect(state.handle(.received([.reading(reading("b"))]), at: 2) == [])
        #expect(state.handle(.inputEnded, at: 3) == [.exit])
    }

    @Test func aConnectionThatWorked_IsOpenedAnewOnce() {
        var state = connected()
        _ = state.handle(.received([.reading(reading("a"))]), at: 2)
        _ = state.handle(.database(.committed), at: 3)
        _ = state.handle(.received([.reading(reading("b"))]), at: 4)
        #expect(state.handle(.database(.failed(away)), at: 5) == [.disconnect, .connect])
        #expect(state.handle(.database(.connected), at: 6) == [.execute([reading("b")])])
        #expect(state.handle(.database(.failed(away)), at: 7) == [.answer([.later("away")]), .disconnect])
    }

    @Test func configuration_IsFatal() {
        var state = DeliveryState()
        _ = state.start(at: 0)
        #expect(
            state.handle(.database(.failed(ServerFault(.configuration, "no such database"))), at: 1) == [
                .answer([.fatal("no such database")]), .disconnect,
            ])
        // Standard input stays open: the program ends nevertheless.
        #expect(state.handle(.time, at: 12) == [.exit])
    }

    @Test func silence_HasLimits() {
        var state = DeliveryState()
        _ = state.start(at: 0)
        #expect(state.wakeAt == 15)
        #expect(state.handle(.time, at: 15) == [.answer([.later("no connection within 15 s")]), .disconnect])
        state = connected()
        _ = state.handle(.received([.reading(reading("a"))]), at: 2)
        #expect(state.handle(.time, at: 32) == [.answer([.later("the server did not answer within 30 s")]), .disconnect])
    }

    @Test func anIdleConnection_IsClosed_AndOpenedForTheNextReading() {
        var state = connected()
        #expect(state.handle(.time, at: 61) == [.disconnect])
        #expect(state.wakeAt == nil)
        #expect(state.handle(.received([.reading(reading("a"))]), at: 100) == [.connect])
        state = connected()
        #expect(state.handle(.database(.failed(away)), at: 5) == [.disconnect])
    }

    @Test func endOfInput_FinishesWhatIsInFlight_WithinALimit() {
        var state = connected()
        #expect(state.handle(.inputEnded, at: 2) == [.disconnect, .exit])
        state = connected()
        _ = state.handle(.received([.reading(reading("a"))]), at: 2)
        #expect(state.handle(.inputEnded, at: 3) == [])
        #expect(state.handle(.database(.committed), at: 4) == [.answer([.ok(id: "a", revision: 0)]), .disconnect, .exit])
        state = connected()
        _ = state.handle(.received([.reading(reading("a"))]), at: 2)
        _ = state.handle(.inputEnded, at: 3)
        #expect(state.handle(.time, at: 8) == [.disconnect, .exit])
    }

    @Test func readingWithoutTime_IsRefusedAtOnce() throws {
        var state = connected()
        let line = try #require(ReadingLine(Array(#"{"type":"blood_pressure","id":"a","clock":"unset"}"#.utf8)))
        #expect(
            state.handle(.received([.reading(line)]), at: 2)
                == [.answer([.refuse(id: "a", revision: 0, "no usable time: the cuff's clock was not set")])])
    }

    @Test func whatIsNoReading_IsFatal() {
        var state = connected()
        #expect(
            state.handle(.received([.unreadable]), at: 2)
                == [.answer([.fatal("a line on standard input is not a reading from cuff")]), .disconnect])
    }
}

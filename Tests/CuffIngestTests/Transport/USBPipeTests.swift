import CuffCore
import Glibc
import Testing

@testable import CuffIngest

/// Results of USB transfers, without a device.
@Suite struct USBPipeTests {
    private func opened(packet: Int = 64) -> USBPipeState {
        var state = USBPipeState(packet: packet)
        _ = state.handle(.opened)
        return state
    }

    @Test func opened_KeepsFourReadsUnderWay() {
        var state = USBPipeState(packet: 64)
        #expect(state.handle(.opened) == (0..<4).map { .read(slot: $0) })
        #expect(state.handle(.read(slot: 2, status: 0, bytes: [1, 2])) == [.received([1, 2]), .read(slot: 2)])
        // An empty packet has no effect.
        #expect(state.handle(.read(slot: 3, status: 0, bytes: [])) == [.read(slot: 3)])
    }

    @Test func message_OfWholePackets_EndsWithAnEmptyOne() {
        var state = opened()
        let whole = [UInt8](repeating: 7, count: 128)
        #expect(state.handle(.write(whole)) == [.write(whole, emptyPacket: true)])
        #expect(state.handle(.write([1])) == [], "one message at a time")
        #expect(state.handle(.written(status: 0, count: 128)) == [.sent(whole), .write([1], emptyPacket: false)])
        #expect(state.handle(.written(status: 0, count: 1)) == [.sent([1])])
    }

    @Test func pause_KeepsWhatIsUnderWay_InOrder() {
        var state = opened()
        #expect(state.handle(.pause) == [])
        #expect(state.handle(.read(slot: 0, status: 0, bytes: [1])) == [])
        #expect(state.handle(.read(slot: 1, status: 0, bytes: [2])) == [])
        #expect(state.handle(.resume) == [.received([1]), .received([2]), .read(slot: 0), .read(slot: 1)])
    }

    @Test func cancelledRead_StillHasItsBytes() {
        var state = opened()
        #expect(state.handle(.read(slot: 0, status: -ENOENT, bytes: [9])) == [.received([9])])
    }

    @Test func halt_IsClearedOnceEveryReadIsBack() {
        var state = opened()
        #expect(state.handle(.read(slot: 0, status: -EPIPE, bytes: [])) == [.discardReads])
        #expect(state.handle(.write([1])) == [], "nothing is written to a halted device")
        #expect(state.handle(.read(slot: 1, status: -ENOENT, bytes: [5])) == [.received([5])])
        #expect(state.handle(.read(slot: 2, status: -EPIPE, bytes: [])) == [])
        #expect(state.handle(.read(slot: 3, status: -ENOENT, bytes: [])) == [.clearHalt])
        #expect(state.handle(.cleared(0)) == (0..<4).map { .read(slot: $0) } + [.write([1], emptyPacket: false)])
    }

    @Test func halts_WithoutAByteBetweenThem_EndTheLine() {
        var state = opened()
        for round in 1...USBPipeState.tries {
            let first = state.handle(.read(slot: 0, status: -EPIPE, bytes: []))
            if round == USBPipeState.tries { return #expect(first == [.end(.failed(call: "read", errno: EPIPE))]) }
            for slot in 1..<4 { _ = state.handle(.read(slot: slot, status: -ENOENT, bytes: [])) }
            #expect(state.handle(.cleared(0)).count == 4)
        }
    }

    @Test func error_IsWaitedOut_AndThenUnplugging() {
        var state = opened()
        #expect(state.handle(.read(slot: 0, status: -EPROTO, bytes: [])) == [.wait(.milliseconds(100))])
        #expect(state.handle(.timePassed) == [.read(slot: 0)])
        #expect(state.handle(.read(slot: 0, status: -ENODEV, bytes: [])) == [.end(.unplugged)])
        #expect(state.handle(.timePassed) == [], "nothing follows the end")
    }

    @Test func errors_WithoutEnd_AreGivenUp() {
        var state = opened()
        var ends = 0
        for _ in 0..<100 {
            let effects = state.handle(.read(slot: 0, status: -EPROTO, bytes: []))
            if effects == [.end(.failed(call: "read", errno: EPROTO))] { ends += 1 }
            _ = state.handle(.timePassed)
        }
        #expect(ends == 1)
    }

    @Test func writeThatEndedInTheMidst_IsNotRepeated() {
        var state = opened()
        _ = state.handle(.write([1, 2, 3]))
        #expect(state.handle(.written(status: -EPROTO, count: 2)) == [.end(.failed(call: "write", errno: EPROTO))])
    }

    @Test func refusedWrite_IsRepeatedAfterThePause() {
        var state = opened()
        _ = state.handle(.write([1, 2, 3]))
        #expect(state.handle(.written(status: -EPROTO, count: 0)) == [.wait(.milliseconds(100))])
        #expect(state.handle(.timePassed) == [.write([1, 2, 3], emptyPacket: false)])
    }

    @Test func preambles_AreTakenOff_AndAnswered() {
        var state = opened()
        #expect(state.handle(.read(slot: 0, status: 0, bytes: PHDCPreamble.own)) == [.read(slot: 0)])
        #expect(
            state.handle(.read(slot: 1, status: 0, bytes: [0xE4, 0, 0, 2, 0, 0])) == [.received([0xE4, 0, 0, 2, 0, 0]), .read(slot: 1)])
        #expect(state.handle(.write([0xE5, 0, 0, 2, 0, 0])) == [.write(PHDCPreamble.own, emptyPacket: false)])
        #expect(state.handle(.written(status: 0, count: 20)) == [.write([0xE5, 0, 0, 2, 0, 0], emptyPacket: false)])
        #expect(state.handle(.written(status: 0, count: 6)) == [.sent([0xE5, 0, 0, 2, 0, 0])])
    }

    @Test(arguments: [(16, UInt8(0)), (17, 2), (18, 0), (18, 0x18), (18, 0x40), (19, 5)])
    func damagedPreamble_IsSkipped_AndSaid(_ place: Int, _ value: UInt8) {
        var state = opened()
        var bytes = PHDCPreamble.own
        bytes[place] = value
        let damage = USBPipeState.Effect.line(CaptureEvent("damaged metadata preamble"))
        #expect(state.handle(.read(slot: 0, status: 0, bytes: bytes)) == [damage, .read(slot: 0)])
        #expect(state.handle(.write([1])) == [.write([1], emptyPacket: false)], "no metadata of ours either")
    }
}

import CuffCore
import Testing

@testable import CuffIngest

/// The identity of a connected cuff is part of its readings' ids, so it must be stable.
@Suite struct IdentityTests {
    private let drivers = HotplugSample.drivers

    private func plug(_ state: inout WatchState, _ device: PluggedDevice) -> String? {
        state.handle(.hotplug(.plugged(device)), at: .zero).lazy.compactMap {
            if case .open(_, let plan) = $0 { plan.identity } else { nil }
        }.first
    }

    @Test func cuffWithoutSerialNumber_IsTheSame_InAnySocket() {
        var state = WatchState(drivers: drivers)
        let here = HotplugSample.device(HotplugSample.hid(port: "1-3"))
        let there = HotplugSample.device(HotplugSample.hid(port: "2-1.4", node: "hidraw1"))
        #expect(plug(&state, here) == "usb:0590:0028")
        _ = state.handle(.hotplug(.unplugged(here)), at: .zero)
        #expect(plug(&state, there) == "usb:0590:0028")
        #expect(here.key != there.key, "for assigning, the socket stays the key")
    }

    @Test func twoAtOnce_AreKeptApart_ByTheirSockets() {
        var state = WatchState(drivers: drivers)
        #expect(plug(&state, HotplugSample.device(HotplugSample.hid(port: "1-3"))) == "usb:0590:0028")
        #expect(plug(&state, HotplugSample.device(HotplugSample.hid(port: "1-4", node: "hidraw1"))) == "port:1-4")
    }

    @Test func serialNumber_StandsAboveTheIDs() {
        var chain = HotplugSample.hid()
        for index in chain.indices where chain[index].devtype == "usb_device" { chain[index].attributes["serial"] = "BP778001" }
        var state = WatchState(drivers: drivers)
        #expect(plug(&state, HotplugSample.device(chain)) == "usb:0590:0028:BP778001")
    }

    /// The ids of a bridge chip identify no cuff.
    @Test func assignedBridge_IsKnownByItsSocket_OrTheUsersName() throws {
        var chain = HotplugSample.adapter(port: "1-2")
        for index in chain.indices { chain[index].attributes["serial"] = nil }
        let device = HotplugSample.device(chain)
        var state = WatchState(assignments: [try Assignment("usb:0403:6001=and-std", drivers: drivers)], drivers: drivers)
        #expect(plug(&state, device) == "port:1-2")
        state = WatchState(assignments: [try Assignment("usb:0403:6001=and-std,name=hall", drivers: drivers)], drivers: drivers)
        #expect(plug(&state, device) == "hall")
    }

    /// Otherwise `cuff read` and `cuff watch` would store one memory under two names.
    @Test func readVerb_NamesItAlike() {
        let one = HotplugSample.device(HotplugSample.hid(port: "1-3"))
        let two = HotplugSample.device(HotplugSample.hid(port: "1-4", node: "hidraw1"))
        let verdict = Claiming.verdict(on: one, drivers: drivers)
        #expect(DevicePlace.identity(of: one, verdict, among: [one]) == "usb:0590:0028")
        #expect(DevicePlace.identity(of: one, verdict, among: [one, two]) == "usb:0590:0028")
        #expect(DevicePlace.identity(of: two, verdict, among: [one, two]) == "port:1-4")
        #expect(DevicePlace.identity(of: one, .claimed("and-std", .rule), among: [one]) == "port:1-3")
    }
}

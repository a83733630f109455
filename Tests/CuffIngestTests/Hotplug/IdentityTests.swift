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

    /// `read` and `watch` store the readings of a cuff under one name, so that its memory is stored once.
    @Test func aNameOfTheConfiguration_HoldsForEveryVerb() throws {
        let assignments = try [("/dev/null", "hallway"), ("tcp://127.0.0.1:4001", "attic")].map {
            Assignment(try DeviceAddress($0), driver: "and-std", name: $1)
        }
        func name(_ address: String, _ driver: String) throws -> String {
            try DevicePlace(address, driver: driver, assignments: assignments).device
        }
        #expect(try name("/dev/null", "and-std") == "hallway" && name("tcp://127.0.0.1:4001", "and-std") == "attic")
        #expect(try name("tcp://127.0.0.1:4002", "and-std") == "")
        #expect(try name("/dev/null", "beurer-serial") == "", "another cuff at this place")
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

    /// As one cuff, equal readings of the two would be one.
    @Test func aNameInUse_IsNotGivenToASecondCuff() throws {
        let here = HotplugSample.device(HotplugSample.adapter(port: "1-2"))
        let there = HotplugSample.device(HotplugSample.adapter(port: "1-3", node: "ttyUSB1"))
        let assignments = try ["port:1-2", "port:1-3"].map { try Assignment("\($0)=and-std,name=hall", drivers: drivers) }
        var state = WatchState(assignments: assignments, drivers: drivers)
        #expect(plug(&state, here) == "hall")
        let effects = state.handle(.hotplug(.plugged(there)), at: .seconds(1))
        #expect(!effects.contains { if case .open = $0 { true } else { false } })
        let told = effects.compactMap { if case .tell(let notice) = $0 { notice.description } else { nil } }
        #expect(told.contains { $0.contains("`hall` is already the name of the cuff at") }, "\(told)")
        // Once the first is gone, the name is free.
        _ = state.handle(.hotplug(.unplugged(here)), at: .seconds(2))
        let later = state.handle(.timer, at: .seconds(2))
        #expect(later.contains { if case .open(_, let plan) = $0 { plan.identity == "hall" } else { false } })
    }

    @Test func aNameInUse_IsNotGivenToASecondAddress() throws {
        let assignments = try ["tcp://a:1", "tcp://b:1"].map { try Assignment("\($0)=and-std,name=hall", drivers: drivers) }
        var state = WatchState(settings: .init(isOnce: true), assignments: assignments, drivers: drivers)
        let effects = state.handle(.hotplug(.settled), at: .zero)
        #expect(effects.count { if case .open = $0 { true } else { false } } == 1)
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

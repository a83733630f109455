/// What the watcher tells.
public enum HotplugEvent: Sendable, Equatable {
    case plugged(PluggedDevice)
    case unplugged(PluggedDevice)
    /// Still the same plugging-in, but udev has more to say about it (links, access).
    case changed(PluggedDevice)
    /// Everything that was plugged in at the start has been told.
    case settled
    /// Worth telling a person: no udevd, or events were lost and the devices counted anew.
    case notice(String)
}

/// The devices that are there, kept right through events that come doubled, late, in the wrong order or not at all.
/// Pure: the watcher feeds it.
package struct DeviceTable: Sendable {
    private var bySyspath: [String: PluggedDevice] = [:]

    package init() {}

    /// In the order of their nodes, so that two runs say the same.
    package var devices: [PluggedDevice] { bySyspath.values.sorted { $0.node < $1.node } }

    /// The device is there: from an `add` or `change` event or from an enumeration.
    package mutating func add(_ found: PluggedDevice) -> [HotplugEvent] {
        var device = found
        let old = bySyspath[device.syspath]
        if let old, old.isSamePlugging(as: device) {
            device.key = old.key  // a key never changes while the device is there
            bySyspath[device.syspath] = device
            return old == device ? [] : [.changed(device)]
        }
        device.key = key(for: found)
        bySyspath[device.syspath] = device
        return (old.map { [.unplugged($0)] } ?? []) + [.plugged(device)]
    }

    /// The device is gone; returns `unplugged`, or nothing for an unknown one.
    package mutating func remove(syspath: String) -> [HotplugEvent] {
        bySyspath.removeValue(forKey: syspath).map { [.unplugged($0)] } ?? []
    }

    /// Events were lost: what an enumeration found is the truth, and the difference is what happened.
    package mutating func reconcile(_ present: [PluggedDevice]) -> [HotplugEvent] {
        let paths = Set(present.map(\.syspath))
        var events = devices.filter { !paths.contains($0.syspath) }.flatMap { remove(syspath: $0.syspath) }
        for device in present.sorted(by: { $0.node < $1.node }) { events += add(device) }
        return events
    }

    /// Two adapters with the same serial number (clones share one): the second is known by its socket, because one key
    /// for two cuffs would mix two people's readings.
    private func key(for device: PluggedDevice) -> DeviceKey {
        let isTaken = bySyspath.values.contains { $0.key == device.key && $0.syspath != device.syspath }
        return isTaken ? device.byPort : device.key
    }
}

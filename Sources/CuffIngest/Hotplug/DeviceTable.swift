/// An event of the watcher.
package enum HotplugEvent: Sendable, Equatable {
    case plugged(PluggedDevice)
    case unplugged(PluggedDevice)
    /// The same device, with new properties from udev (links, access).
    case changed(PluggedDevice)
    /// The devices present at the start have been reported.
    case settled
    /// A message for the user: no udevd, or events were lost.
    case notice(String)
}

/// The present devices, correct even if events are duplicated, late, reordered or lost. A pure value, fed by the watcher.
package struct DeviceTable: Sendable {
    private var bySyspath: [String: PluggedDevice] = [:]

    /// In order of their nodes, so output is reproducible.
    package var devices: [PluggedDevice] { bySyspath.values.sorted { $0.node < $1.node } }

    /// From an `add` or `change` event or an enumeration.
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

    /// Returns `unplugged`, or nothing for an unknown device.
    package mutating func remove(syspath: String) -> [HotplugEvent] {
        bySyspath.removeValue(forKey: syspath).map { [.unplugged($0)] } ?? []
    }

    /// After lost events: takes over an enumeration, and returns the differences as events.
    package mutating func reconcile(_ present: [PluggedDevice]) -> [HotplugEvent] {
        let paths = Set(present.map(\.syspath))
        var events = devices.filter { !paths.contains($0.syspath) }.flatMap { remove(syspath: $0.syspath) }
        for device in present.sorted(by: { $0.node < $1.node }) { events += add(device) }
        return events
    }

    /// If two adapters have the same serial number (as clones do), the second is named by its port: one key for two cuffs would
    /// mix the readings of two people.
    private func key(for device: PluggedDevice) -> DeviceKey {
        let isTaken = bySyspath.values.contains { $0.key == device.key && $0.syspath != device.syspath }
        return isTaken ? device.byPort : device.key
    }
}

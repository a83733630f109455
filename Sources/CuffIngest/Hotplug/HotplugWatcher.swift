import CUdev
import Dispatch
import Glibc

/// A source of hotplug events: udev, or a test.
protocol HotplugSource: AnyObject, Sendable {
    func start(deliver: @escaping @Sendable ([HotplugEvent]) -> Void) throws(HotplugFault)
    func stop()
}

extension HotplugWatcher: HotplugSource {}

/// Reports what is plugged in, then changes. It opens no nodes and does not check access.
///
/// The monitor is armed before the first enumeration, so no device is missed in between; duplicates are removed. If the kernel's
/// event queue overflows, the devices are enumerated again and the differences reported.
package final class HotplugWatcher: @unchecked Sendable {
    /// udevd's events come after its rules ran, the kernel's before the node has its owner.
    package enum Source: String, Sendable { case udev, kernel }

    package let source: Source
    private let queue: DispatchQueue
    // From here on: used on `queue` only.
    private var udev: Udev?
    private var monitor: OpaquePointer?
    private var events: DispatchSourceRead?
    private var table = DeviceTable()
    private var deliver: (@Sendable ([HotplugEvent]) -> Void)?

    /// Without `source`, udevd's events if udevd runs, else the kernel's.
    package init(queue: DispatchQueue, source: Source? = nil) {
        self.queue = queue
        self.source = source ?? (Udev.hasDaemon ? .udev : .kernel)
    }

    /// Delivers on the queue, first the present devices and `settled`. Call once.
    package func start(deliver: @escaping @Sendable ([HotplugEvent]) -> Void) throws(HotplugFault) {
        try queue.sync { Result { () throws(HotplugFault) in try begin(deliver) } }.get()
    }

    /// No event is delivered after the block that is running on the queue, if any.
    package func stop() {
        queue.async { self.end() }
    }

    private func begin(_ deliver: @escaping @Sendable ([HotplugEvent]) -> Void) throws(HotplugFault) {
        let udev = try Udev()
        guard let monitor = udev_monitor_new_from_netlink(udev.context, source.rawValue) else {
            throw HotplugFault("udev_monitor_new_from_netlink", errno)
        }
        self.udev = udev
        self.monitor = monitor
        self.deliver = deliver
        for subsystem in TransportKind.subsystems() {
            udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil)
        }
        // A hub with 64 adapters causes some 500 events of 1 KiB at once. Fails without privilege: then the kernel's limit
        // applies, and an overflow is handled below.
        udev_monitor_set_receive_buffer_size(monitor, 1 << 20)
        let result = udev_monitor_enable_receiving(monitor)
        guard result >= 0 else {
            udev_monitor_unref(monitor)
            end()
            throw HotplugFault("udev_monitor_enable_receiving", -result)
        }
        let events = DispatchSource.makeReadSource(fileDescriptor: udev_monitor_get_fd(monitor), queue: queue)
        events.setEventHandler { @Sendable [weak self] in self?.receive() }
        // The descriptor belongs to libudev and must outlive the source.
        let lease = LoopBound((udev: udev, monitor: monitor))
        events.setCancelHandler { @Sendable in
            udev_monitor_unref(lease.value.monitor)
            withExtendedLifetime(lease.value.udev) {}
        }
        self.events = events
        events.activate()
        var first: [HotplugEvent] = []
        if source == .kernel {
            first.append(
                .notice(
                    "no udevd here (/run/udev/control is missing): using the kernel's own events; there are no /dev/serial links"
                        + " and the owner of a new node is not set"))
        }
        do throws(HotplugFault) {
            first += table.reconcile(try udev.plugged())
        } catch {
            end()
            throw error
        }
        deliver(first + [.settled])
    }

    private func receive() {
        guard let monitor else { return }
        var told: [HotplugEvent] = []
        // libudev's descriptor is non-blocking: read until it is empty.
        while true {
            errno = 0
            guard let device = udev_monitor_receive_device(monitor) else {
                if errno == ENOBUFS {
                    told += recount()
                    continue
                }
                if errno == EINTR { continue }
                break
            }
            defer { udev_device_unref(device) }
            if Udev.text(udev_device_get_action(device)) == "remove" {
                told += table.remove(syspath: Udev.syspath(device))
            } else if let plugged = PluggedDevice(Udev.chain(device)) {
                told += table.add(plugged)
            }
        }
        if !told.isEmpty { deliver?(told) }
    }

    /// After lost events: enumerates and returns the differences.
    func recount() -> [HotplugEvent] {
        guard let udev else { return [] }
        do throws(HotplugFault) {
            return [.notice("the kernel's event queue overflowed; enumerating the devices again")]
                + table.reconcile(try udev.plugged())
        } catch {
            return [.notice("the kernel's event queue overflowed and the devices cannot be enumerated: \(error)")]
        }
    }

    private func end() {
        deliver = nil
        events?.cancel()  // its cancel handler releases the monitor
        events = nil
        monitor = nil
        udev = nil
    }

    deinit { events?.cancel() }
}

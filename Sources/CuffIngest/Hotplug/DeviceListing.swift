import CuffCore
import Dispatch
import Glibc

/// Lists what is plugged in: in columns for a terminal, otherwise tab-separated or one JSON object per line.
package struct DeviceListing: Sendable {
    private let assignments: [Assignment]
    private let isJSON: Bool
    private let isTerminal: Bool
    private let width: Int?

    package init(assignments: [Assignment], isJSON: Bool, isTerminal: Bool, width: Int? = nil) {
        self.width = width
        self.assignments = assignments
        self.isJSON = isJSON
        self.isTerminal = isTerminal
    }

    package func plugged() throws(IngestError) -> String {
        let devices = try DeviceEnumeration.listed()
        if isJSON { return devices.map { json($0, event: nil) }.joined() }
        let rows = devices.map(cells)
        guard isTerminal else { return rows.map { $0.joined(separator: "\t") + "\n" }.joined() }
        guard !rows.isEmpty else { return "nothing is plugged in that could be a cuff (no tty or hidraw device)\n" }
        let head = ["ID", "PATH", "USB", "DRIVER", "ACCESS", "NOTE"]
        return TextTable(head, rows, wrapping: 5, optional: [2]).text(width: width)
    }

    /// Prints changes until a signal, or until standard output has lost its reader.
    package func follow(_ put: @escaping @Sendable (String) -> Void, warn: (String) -> Void) throws(IngestError) {
        let queue = DispatchQueue(label: "cuff.list")
        let watcher = HotplugWatcher(queue: queue)
        if watcher.source == .kernel {
            warn("udevd is not running: kernel events are shown, which come before names and permissions are set")
        }
        let isSettled = Locked(false)
        do throws(HotplugFault) {
            try watcher.start { events in
                for event in events {
                    switch event {
                    case .plugged(let device) where isSettled.withLock { $0 }: put(line(device, event: "plugged"))
                    case .unplugged(let device): put(line(device, event: "unplugged"))
                    case .settled: isSettled.withLock { $0 = true }
                    default: break
                    }
                }
            }
        } catch {
            throw IngestError(DeviceFault.cannotWatch(error))
        }
        let stop = StopSignal()
        stop.watch()
        // poll(2) reports an error of a pipe that has lost its reader even if no event is asked for.
        var ends = [pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)]
        while poll(&ends, 2, -1) < 0, errno == EINTR {}
        watcher.stop()
    }

    private func line(_ device: PluggedDevice, event: String) -> String {
        isJSON ? json(device, event: event) : event + "\t" + cells(device).joined(separator: "\t") + "\n"
    }

    private func cells(_ device: PluggedDevice) -> [String] {
        let verdict = Claiming.verdict(on: device, assignments: assignments, drivers: CuffFamilies.all)
        return [
            device.key.description, device.node, device.usb.map { "\($0.id)" } ?? "-", verdict.driver?.description ?? "-",
            Access.look(at: device.node).word, verdict.sentence(for: device),
        ]
    }

    private func json(_ device: PluggedDevice, event: String?) -> String {
        let verdict = Claiming.verdict(on: device, assignments: assignments, drivers: CuffFamilies.all)
        let access = Access.look(at: device.node)
        let fields: [(String, String?)] = [
            ("event", event), ("id", device.key.description), ("path", device.node), ("subsystem", device.subsystem.rawValue),
            ("usb", device.usb.map { "\($0.id)" }), ("usb_port", device.usb?.port), ("serial", device.usb?.serial),
            ("manufacturer", device.usb?.manufacturer), ("product", device.usb?.product), ("kernel_driver", device.kernelDriver),
            ("driver", verdict.driver?.description), ("why", verdict.sentence(for: device)), ("access", access.word),
            ("access_reason", access.reason),
        ]
        return JSONOutput.line("device", fields.map { key, value in (key, value.flatMap { $0.isEmpty ? nil : .text($0) }) })
    }
}

import CuffCore
import Dispatch
import Testing

@testable import CuffIngest

/// The watcher with umockdev's /sys and udev, of which there is one per process.
@Suite(.serialized, .enabled(if: HotplugTestbed.isAvailable, Comment(rawValue: HotplugTestbed.howTo)))
struct HotplugWatcherTests {
    /// A watcher and its events.
    private final class Watch: @unchecked Sendable {
        let watcher: HotplugWatcher
        let queue = DispatchQueue(label: "test.hotplug")
        private let stream: AsyncStream<HotplugEvent>
        private var iterator: AsyncStream<HotplugEvent>.Iterator

        init() throws {
            let (stream, continuation) = AsyncStream.makeStream(of: HotplugEvent.self)
            self.stream = stream
            iterator = stream.makeAsyncIterator()
            watcher = HotplugWatcher(queue: queue, source: .udev)
            try watcher.start { events in for event in events { continuation.yield(event) } }
        }

        /// The events until `settled`.
        func first() async -> [HotplugEvent] {
            var told: [HotplugEvent] = []
            while let event = await iterator.next(), event != .settled { told.append(event) }
            return told
        }

        func next() async -> HotplugEvent? { await iterator.next() }

        deinit { watcher.stop() }
    }

    private func plugged(_ event: HotplugEvent?) -> PluggedDevice? {
        if case .plugged(let device)? = event { device } else { nil }
    }

    private func unplugged(_ event: HotplugEvent?) -> PluggedDevice? {
        if case .unplugged(let device)? = event { device } else { nil }
    }

    @Test(.timeLimit(.minutes(3)))
    func whatIsPluggedIn_IsTold_ThenSettled() async throws {
        let bed = HotplugTestbed()
        let adapter = HotplugTestbed.adapter("COLD0001", socket: 1, node: "ttyUSB0", address: 5)
        bed.add(adapter.text)
        bed.add(HotplugTestbed.omron(socket: 3, node: "hidraw0").text)
        let watch = try Watch()
        let devices = await watch.first().compactMap(plugged)
        #expect(devices.map(\.node) == ["/dev/hidraw0", "/dev/ttyUSB0"])
        let omron = try #require(devices.first)
        #expect(omron.usb?.id == USBID("0590:0028"), "its own event carries no ids: the USB parent does")
        #expect(omron.kernelDriver == "usbhid")
        let tty = try #require(devices.last)
        #expect(tty.key.description == "usb:0403:6001:COLD0001")
        #expect(tty.kernelDriver == "ftdi_sio")
        #expect(tty.usb?.port == "1-1" && tty.usb?.address == "5" && tty.usb?.bcdDevice == 0x0600)
        let listed = try DeviceEnumeration.plugged()
        #expect(listed == devices, "`cuff list` and `cuff watch` see the same")
        let usb = try DeviceEnumeration.usb()
        #expect(Set(usb.map(\.device.id.description)) == ["0403:6001", "0590:0028"])
        #expect(usb.first { $0.device.port == "1-1" }?.interfaces.map(\.driver) == ["ftdi_sio"])
    }

    @Test(.timeLimit(.minutes(3)))
    func plugAndUnplug_AreTold() async throws {
        let bed = HotplugTestbed()
        let watch = try Watch()
        #expect(await watch.first().isEmpty)
        let adapter = HotplugTestbed.adapter("HOT00002", socket: 2, node: "ttyUSB0", address: 6)
        bed.add(adapter.text)
        let came = plugged(await watch.next())
        #expect(came?.key.description == "usb:0403:6001:HOT00002")
        #expect(came?.links.contains("/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_HOT00002-if00-port0") == true)
        bed.unplug(adapter.path)
        #expect(unplugged(await watch.next()) == came)
    }

    @Test(.timeLimit(.minutes(3)))
    func replugAtAnotherSocket_IsTheSameDeviceUnderAnotherNode() async throws {
        let bed = HotplugTestbed()
        let watch = try Watch()
        _ = await watch.first()
        let before = HotplugTestbed.adapter("MOVED003", socket: 1, node: "ttyUSB0", address: 7)
        bed.add(before.text)
        let first = plugged(await watch.next())
        bed.unplug(before.path)
        #expect(unplugged(await watch.next()) == first)
        bed.add(HotplugTestbed.adapter("MOVED003", socket: 2, node: "ttyUSB1", address: 8).text)
        let second = plugged(await watch.next())
        #expect(second?.key == first?.key)
        #expect(second?.node == "/dev/ttyUSB1" && second?.usb?.port == "1-2")
    }

    @Test(.timeLimit(.minutes(3)))
    func nodeUsedAgain_ByAnotherCuff_IsAnotherDevice() async throws {
        let bed = HotplugTestbed()
        let watch = try Watch()
        _ = await watch.first()
        let anna = HotplugTestbed.adapter("ANNA0001", socket: 1, node: "ttyUSB0", address: 7, makesNode: false)
        bed.add(anna.text)
        let first = plugged(await watch.next())
        bed.unplug(anna.path)
        _ = await watch.next()
        bed.add(HotplugTestbed.adapter("BEN00001", socket: 2, node: "ttyUSB0", address: 8, makesNode: false).text)
        let second = plugged(await watch.next())
        #expect(first?.node == second?.node && first?.key != second?.key)
    }

    /// As brltty does to an adapter: removed and back within a second.
    @Test(.timeLimit(.minutes(3)))
    func addRemoveAdd_EndsWithTheDeviceThere() async throws {
        let bed = HotplugTestbed()
        let watch = try Watch()
        _ = await watch.first()
        let adapter = HotplugTestbed.adapter("BRL00001", socket: 1, node: "ttyUSB0", address: 7)
        bed.add(adapter.text)
        bed.announce(adapter.path, "remove")
        bed.announce(adapter.path, "add")
        #expect(plugged(await watch.next()) != nil)
        #expect(unplugged(await watch.next()) != nil)
        #expect(plugged(await watch.next())?.key.description == "usb:0403:6001:BRL00001")
    }

    @Test(.timeLimit(.minutes(3)))
    func doubledEvent_IsToldOnce() async throws {
        let bed = HotplugTestbed()
        let first = HotplugTestbed.adapter("ONCE0001", socket: 1, node: "ttyUSB0", address: 7)
        bed.add(first.text)
        let watch = try Watch()
        let there = try #require(await watch.first().compactMap(plugged).first)
        bed.announce(first.path, "add")  // already enumerated; only its links are new
        bed.announce(first.path, "add")
        bed.add(HotplugTestbed.adapter("NEXT0002", socket: 2, node: "ttyUSB1", address: 8).text)
        guard case .changed(let changed)? = await watch.next() else { return #expect(Bool(false), "told twice") }
        #expect(changed.key == there.key && there.links.isEmpty && !changed.links.isEmpty)
        #expect(plugged(await watch.next())?.key.description == "usb:0403:6001:NEXT0002")
    }

    @Test(.timeLimit(.minutes(3)))
    func lostEvents_AreMadeUpByCounting() async throws {
        let bed = HotplugTestbed()
        let adapter = HotplugTestbed.adapter("LOST0001", socket: 1, node: "ttyUSB0", address: 7)
        bed.add(adapter.text)
        let watch = try Watch()
        let there = await watch.first().compactMap(plugged)
        bed.vanish(adapter.path)  // without an event
        let told = watch.queue.sync { watch.watcher.recount() }
        #expect(told.count == 2)
        #expect(unplugged(told.last) == there.first)
    }

    @Test(.timeLimit(.minutes(3)))
    func watcherThatStops_LeavesNoDescriptorBehind() async throws {
        let bed = HotplugTestbed()
        bed.add(HotplugTestbed.adapter("FDS00001", socket: 1, node: "ttyUSB0", address: 7).text)
        func settle(_ queue: DispatchQueue) async {
            await withCheckedContinuation { done in queue.asyncAfter(deadline: .now() + 0.05) { done.resume() } }
        }
        func cycle() async throws {
            let watch = try Watch()
            _ = await watch.first()
            watch.watcher.stop()
            await settle(watch.queue)
        }
        try await cycle()
        let before = CuffIngest.Folder.names("/proc/self/fd").count
        for _ in 0..<10 { try await cycle() }
        #expect(CuffIngest.Folder.names("/proc/self/fd").count <= before)
    }
}

import CuffCore
import Dispatch
import Glibc
import Testing

@testable import CuffIngest

/// Reports of the HID UART; the numbers are those of AN434.
@Suite struct CP2110TransportTests {
    private func pair() throws -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [0, 0]
        // Message sockets keep report boundaries, as hidraw does.
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    private func reports(_ descriptor: Int32, count: Int) async throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        var buffer = [UInt8](repeating: 0, count: 128)
        for _ in 0..<500 where found.count < count {
            let length = read(descriptor, &buffer, 128)
            if length > 0 { found.append(Array(buffer[..<length])) } else { try await Task.sleep(for: .milliseconds(10)) }
        }
        return found
    }

    @Test(.timeLimit(.minutes(5))) func bytes_TravelInNumberedReports() async throws {
        let (ours, theirs) = try pair()
        defer { close(theirs) }
        let loop = EventLoop.shared
        let transport = CP2110Transport(descriptor: ours, line: LineSettings(rate: 19200), setsUp: false)
        let line = LoopBound(transport)
        let events = Mailbox<TransportEvent>()
        loop.sync { try? line.value.start(on: loop) { events.post($0) } }
        let long = (0..<100).map { UInt8($0) }
        loop.sync {
            line.value.write([0x51, 0x22])
            line.value.write(long)
        }
        // A report has at most 63 bytes; its number is their count.
        let sent = try await reports(theirs, count: 3)
        let expected: [[UInt8]] = [[2, 0x51, 0x22], [63] + Array(long[..<63]), [37] + Array(long[63...])]
        #expect(sent == expected)
        for report: [UInt8] in [[3, 0xA5, 0x01, 0x02, 0xEE, 0xEE], [0x41, 0x01], [64, 1], [1, 0x33]] {
            _ = report.withUnsafeBytes { write(theirs, $0.baseAddress, $0.count) }
        }
        let told = await events.wait {
            $0.contains { if case .received([0x33]) = $0 { true } else { false } }
        }
        let received = told.compactMap { if case .received(let bytes) = $0 { bytes } else { nil } }
        let confirmed = told.compactMap { if case .sent(let bytes) = $0 { bytes } else { nil } }
        #expect(received == [[0xA5, 0x01, 0x02], [0x33]], "bytes behind the count are stale; other reports are not the cuff's")
        #expect(confirmed == [[0x51, 0x22], long], "each write is confirmed once, whole")
        loop.sync { line.value.close() }
        #expect(await events.wait { if case .closed(nil)? = $0.last { true } else { false } }.count > 0)
    }

    /// A socket has no feature reports for the settings, which ends the line.
    @Test(.timeLimit(.minutes(5))) func chipThatTakesNoSettings_IsAnEnd() async throws {
        let (ours, theirs) = try pair()
        defer { close(theirs) }
        let loop = EventLoop.shared
        let transport = CP2110Transport(descriptor: ours, line: LineSettings(rate: 19200))
        let line = LoopBound(transport)
        let events = Mailbox<TransportEvent>()
        loop.sync { try? line.value.start(on: loop) { events.post($0) } }
        let told = await events.wait { !$0.isEmpty }
        guard case .closed(let error)? = told.first, case .failed(let call, _)? = error as? TransportFault else {
            Issue.record("\(told)")
            return
        }
        #expect(call == "HIDIOCSFEATURE")
        loop.sync { line.value.close() }
        #expect(events.values.count == 1)
    }

    /// AN434, table of report 50: rate with the highest byte first, parity 0…4, flow control 0…1, data bits 0…3, stop bits 0…1.
    @Test func line_IsPlausible_WhereEveryFieldIsPossible() {
        let line = CP2110Reports.configuration(LineSettings(rate: 19200))
        #expect(line == [0x50, 0, 0, 0x4B, 0, 0, 0, 3, 0] && CP2110Reports.isPlausible(line))
        for (place, value) in [(0, 0x51), (1, 1), (3, 0), (5, 5), (6, 2), (7, 4), (8, 2)] as [(Int, UInt8)] {
            var other = line
            other[place] = value
            #expect(!CP2110Reports.isPlausible(other), "\(place)")
        }
        #expect(!CP2110Reports.isPlausible(Array(line.dropLast())) && !CP2110Reports.isPlausible([]))
    }

    @Test func serialCuffOfADock_IsAssignedToItsHIDNode() throws {
        var chain = HotplugSample.hid()
        for index in chain.indices where chain[index].devtype == "usb_device" {
            chain[index].attributes["idVendor"] = "10c4"
            chain[index].attributes["idProduct"] = "ea80"
        }
        let device = HotplugSample.device(chain)
        #expect(device.subsystem == .hidraw)
        #expect(Claiming.verdict(on: device) == .unassigned(["taidoc"]), "never opened unasked: any device may sit behind it")
        let assigned = Claiming.verdict(on: device, assignments: [try Assignment("usb:10c4:ea80=taidoc")])
        #expect(assigned.driver == "taidoc")
        #expect(try Claiming.verdict(on: device, assignments: [Assignment("usb:10c4:ea80=omron-hid")]).driver == "omron-hid")
        let other = HotplugSample.device(HotplugSample.hid())
        let refused = Claiming.verdict(on: other, assignments: [try Assignment("\(other.node)=taidoc")])
        #expect(refused.driver == nil, "no serial cuff behind any other HID device")
    }
}

import CLinux
import CuffCore
import Glibc

/// A simulated cuff as a HID device of this machine.
extension Simulation {
    static func openHID(_ path: String, _ driver: CuffDriver) throws(IngestError) -> Int32 {
        guard let device = SimulatedHID(driver) else {
            throw IngestError(SimulationFault.notHID(driver: driver.id.description))
        }
        let descriptor = clinux_uhid_open(path)
        guard descriptor >= 0 else { throw .device(path, -descriptor) }
        let result = clinux_uhid_create(
            descriptor, device.name, "", device.id.vendor, device.id.product, device.release, device.descriptor,
            Int32(device.descriptor.count))
        guard result >= 0 else {
            close(descriptor)
            throw .device(path, -result)
        }
        return descriptor
    }

    func startHID() {
        port = try? Port(
            descriptor, on: loop, readSize: Int(clinux_uhid_size), writesBlock: true,
            writer: { descriptor, report in
                let result = clinux_uhid_input(
                    descriptor, report.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(report.count))
                if result < 0 { errno = -result }
                return Int(result)
            }
        ) { [weak self] in self?.handle($0) }
        if port == nil { end() }
    }

    /// A message of the kernel: the node was opened or closed, or written to.
    func handleHID(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { buffer in
            let message = clinux_uhid_take(buffer.baseAddress, Int32(buffer.count))
            let report = message.report.map { Array(UnsafeBufferPointer(start: $0, count: Int(message.length))) } ?? []
            switch UInt32(message.kind) {
            case clinux_uhid_opened.rawValue: clientCame()
            case clinux_uhid_closed.rawValue: clientClosed()
            case clinux_uhid_output.rawValue:
                if message.request != 0 { _ = clinux_uhid_confirm(descriptor, message.request) }
                perform(simulator.handle(.received(report)))
            case clinux_uhid_feature.rawValue:
                _ = clinux_uhid_confirm(descriptor, message.request)
                perform(simulator.handle(.receivedFeature(report)))
            default: break
            }
        }
    }
}

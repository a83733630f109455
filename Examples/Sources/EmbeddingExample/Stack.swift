import CuffCore
import CuffIngest
import Dispatch
import Glibc

/// A cuff whose bytes come from the program itself. The stack, here a copy of a serial line, has one end of a pair of sockets; the cuff
/// is at the other.
func stack(_ device: String, _ driver: CuffDriver) async throws {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
        throw TransportFault.failed(call: "socketpair", errno: errno)
    }
    serve(ends[1], from: open(device, O_RDWR | O_NOCTTY))
    let cuff = Cuff(connected: ends[0], name: "stack", driver: driver)
    for try await received in cuff.readings(keeping: false) where !received.reading.isPending {
        show(received.reading, received.driver)
    }
    close(ends[0])
}

/// What a Bluetooth stack would do: gives what the cuff sends, and sends what the library writes.
func serve(_ end: Int32, from line: Int32) {
    for (source, target) in [(line, end), (end, line)] {
        DispatchQueue(label: "stack").async {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while case let count = read(source, &bytes, bytes.count), count > 0 {
                var done = 0
                while done < count, case let more = write(target, Array(bytes[done..<count]), count - done), more > 0 { done += more }
            }
        }
    }
}

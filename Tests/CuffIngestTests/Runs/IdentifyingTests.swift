import Foundation
import Glibc
import Testing

@testable import CuffIngest

@Suite struct IdentifyingTests {
    /// ser2net ends a connection at once if its serial port is in use.
    @Test func aServerThatClosesAtOnce_IsNotASilentCuff() throws {
        let (listener, port) = try TCPTransport.listening("127.0.0.1", "0", "test")
        defer { close(listener) }
        Thread.detachNewThread {
            _ = LineStream.wait(listener, POLLIN, StopSignal())
            close(accept(listener, nil, nil))
        }
        let thrown = #expect(throws: IngestError.self) {
            try Identifying.run("tcp://127.0.0.1:\(port)", line: nil, limit: .seconds(60))
        }
        #expect(thrown?.status == .unavailable)
        #expect(thrown?.description == "tcp://127.0.0.1:\(port): the other side closed the connection before it sent anything")
    }
}

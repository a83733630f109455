import Dispatch
import Glibc
import Testing

@testable import CuffIngest

@Suite struct SignalListenerTests {
    /// Two runs in one process: both hear a signal, and one still does after the end of the other.
    @Test(.timeLimit(.minutes(5))) func everyListenerHearsASignal() {
        let queue = DispatchQueue(label: "listeners")
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let one = SignalListener(SIGURG, queue) { first.signal() }
        #expect(signalIsHeard(by: first))
        let other = SignalListener(SIGURG, queue) { second.signal() }
        #expect(signalIsHeard(by: second))
        #expect(signalIsHeard(by: first))
        other.cancel()
        queue.sync {}
        while first.wait(timeout: .now()) == .success {}
        #expect(signalIsHeard(by: first))
        withExtendedLifetime((one, other)) {}
    }

    /// Sends SIGURG, which no other test uses and whose default effect is nothing, until a listener has heard it: Dispatch registers a
    /// listener in the background.
    private func signalIsHeard(by listener: DispatchSemaphore) -> Bool {
        for _ in 0..<1_000 {
            kill(getpid(), SIGURG)
            if listener.wait(timeout: .now() + .milliseconds(20)) == .success { return true }
        }
        return false
    }
}

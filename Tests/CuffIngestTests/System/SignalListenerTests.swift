import Dispatch
import Glibc
import Testing

@testable import CuffIngest

@Suite struct SignalListenerTests {
    /// Two runs in one process: both hear a signal, and one still does after the end of the other.
    @Test(.timeLimit(.minutes(1))) func everyListenerHearsASignal() {
        let queue = DispatchQueue(label: "listeners")
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // No other test sends it, and its default action is nothing.
        let one = SignalListener(SIGURG, queue) { first.signal() }
        kill(getpid(), SIGURG)
        #expect(first.wait(timeout: .now() + 20) == .success)
        let other = SignalListener(SIGURG, queue) { second.signal() }
        kill(getpid(), SIGURG)
        #expect(first.wait(timeout: .now() + 20) == .success)
        #expect(second.wait(timeout: .now() + 20) == .success)
        other.cancel()
        kill(getpid(), SIGURG)
        #expect(first.wait(timeout: .now() + 20) == .success)
        withExtendedLifetime((one, other)) {}
    }
}

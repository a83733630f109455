import CuffCore
import Dispatch
import Glibc

/// How a live device is read, beside what every run needs.
package struct ReadOptions: Sendable {
    /// What the cuff is asked for.
    package var command: SessionCommand
    /// Stay afterwards for readings that the cuff sends by itself.
    package var follows: Bool
    /// Everything must be done by then; `nil` waits as long as the session does.
    package var timeout: Duration?
    /// Other line settings than the driver's.
    package var line: LineSettings?
    /// The pause between two bytes written to a serial line; `nil`: none beyond the line's own speed.
    package var pace: Duration?
    /// A file for the bytes of both directions, as `cuff record` writes.
    package var recording: String?
    /// Which readings are wanted; `nil`: all.
    package var filter: ReadingFilter?

    /// The other properties keep their defaults.
    package init(_ command: SessionCommand = .readMemory(user: nil), follows: Bool = false) {
        self.command = command
        self.follows = follows
    }
}

extension ReadOptions {
    var isReading: Bool {
        switch command {
        case .follow, .readMemory: true
        case .measure, .stop, .readClock, .setClock, .information, .schedule, .clear: false
        }
    }

    /// What a cuff of this family is asked for first: one without a memory can only be listened to.
    package func firstCommand(for driver: CuffDriver) -> SessionCommand {
        if case .readMemory = command, follows, !driver.capabilities.contains(.storedReadings) { return .follow }
        return command
    }
}

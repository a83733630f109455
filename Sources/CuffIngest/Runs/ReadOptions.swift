import CuffCore

/// The options of reading a live cuff, in addition to those of every run.
package struct ReadOptions: Sendable {
    package var command: SessionCommand
    /// Continue to receive readings afterwards.
    package var follows: Bool
    /// Give up after this long; `nil`: the session decides.
    package var timeout: Duration?
    /// Overrides the driver's line settings.
    package var line: LineSettings?
    /// The pause between bytes written to a serial line.
    package var pace: Duration?
    /// A file for the bytes of both directions, as written by `cuff record`.
    package var recording: String?
    /// Which readings to accept; `nil`: all.
    package var filter: ReadingFilter?
    /// Called once if the cuff has sent no byte two seconds after the start.
    package var whenSilent: (@Sendable () -> Void)?

    package init(_ command: SessionCommand = .readMemory(user: nil), follows: Bool = false) {
        self.command = command
        self.follows = follows
    }

    var isReading: Bool {
        switch command {
        case .follow, .readMemory: true
        case .measure, .stop, .readClock, .setClock, .information, .schedule, .clear: false
        }
    }

    /// The first command: a cuff without a memory can only be listened to.
    package func firstCommand(for driver: CuffDriver) -> SessionCommand {
        if case .readMemory = command, follows, !driver.capabilities.contains(.storedReadings) { return .follow }
        return command
    }
}

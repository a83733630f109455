import CuffCore
import Dispatch
import Glibc

/// The options of reading a live cuff, in addition to those of every run.
public struct ReadOptions: Sendable {
    /// The command for the cuff.
    public var command: SessionCommand
    /// Continue to receive readings afterwards.
    public var follows: Bool
    /// Give up after this long; `nil`: the session decides.
    public var timeout: Duration?
    /// Overrides the driver's line settings.
    public var line: LineSettings?
    /// The pause between bytes written to a serial line.
    public var pace: Duration?
    /// A file for the bytes of both directions, as written by `cuff record`.
    public var recording: String?
    /// Which readings to accept; `nil`: all.
    public var filter: ReadingFilter?
    /// Called once if the cuff has sent no byte two seconds after the start.
    public var whenSilent: (@Sendable () -> Void)?

    /// The other properties keep their defaults.
    public init(_ command: SessionCommand = .readMemory(user: nil), follows: Bool = false) {
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

    /// The first command: a cuff without a memory can only be listened to.
    public func firstCommand(for driver: CuffDriver) -> SessionCommand {
        if case .readMemory = command, follows, !driver.capabilities.contains(.storedReadings) { return .follow }
        return command
    }
}

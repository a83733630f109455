import ArgumentParser
import CuffIngest

extension RunStatus {
    /// The exit code, by sysexits(3) and shell conventions.
    var code: Int32 {
        switch self {
        case .done: 0
        case .no: 1
        case .usage: 64
        case .badData: 65
        case .noInput: 66
        case .unavailable: 69
        case .software: 70
        case .osError: 71
        case .cannotCreate: 73
        case .inputOutput: 74
        case .tryAgain: 75
        case .protocolFault: 76
        case .noPermission: 77
        case .badConfiguration: 78
        case .timedOut: 124
        case .interrupted: 130
        case .terminated: 143
        }
    }
}

extension ExitCode {
    init(_ status: RunStatus) { self.init(status.code) }
}

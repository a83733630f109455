/// Why a command is refused for a family. The first text is the driver's id.
package enum CommandFault: Fault {
    case unknownOption(String, option: String, known: [String])
    case noUsers(String)
    /// `sendsUnasked`: its cuffs send readings without a request.
    case unsupported(String, need: String, supported: [String], sendsUnasked: Bool)
    /// Acknowledging deletes, and no sink would have the reading. `keeping` is the option that makes the cuff keep readings.
    case deletesUnstored(String, keeping: String?)
    /// The cuff also forgets readings outside the range of time.
    case forgetsOutside(String)
    case cannotCall(String)
    /// An erasure, without a sink that keeps the readings.
    case erasesUnstored
    case erasureNotConfirmed
    case noPlaceForPatients
    case isMeasuring(address: String)
    case isStillMeasuring(address: String, process: Int32)
    /// The conversation ended without the cuff's clock.
    case noClock(address: String)
    case noSinks

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .unknownOption(let driver, let option, let known):
            (
                .usage,
                "unknown option `\(option)` of \(driver): \(known.isEmpty ? "it has no options" : "known are \(known.joined(separator: ", "))")"
            )
        case .noUsers(let driver): (.usage, "\(driver) cuffs cannot be asked for one user: the driver does not tell users apart")
        case .unsupported(let driver, let need, let supported, _):
            (
                .usage,
                "\(driver) cuffs cannot \(need): supported are \(supported.isEmpty ? "nothing on request" : supported.joined(separator: ", "))"
            )
        case .deletesUnstored(let driver, _):
            (
                .usage,
                "\(driver) cuffs are not read without a durable sink: they delete a reading once it is acknowledged, "
                    + "and none of the sinks is both required and durable"
            )
        case .forgetsOutside(let driver):
            (
                .usage,
                "a cuff of \(driver) cannot be read for a stretch of time: it forgets what it was acknowledged for, "
                    + "so readings outside of it would be lost"
            )
        case .cannotCall(let driver): (.usage, "\(driver) cuffs are USB devices: they cannot call over the network")
        case .erasesUnstored:
            (.usage, "nothing would keep the readings: no required sink is a database or a file, or answers for what it takes")
        case .erasureNotConfirmed: (.usage, "the cuff's memory was not erased: erasing cannot be undone")
        case .noPlaceForPatients:
            (.usage, "--keep-patient has no effect without a database: no other sink ever gets a patient's number")
        case .isMeasuring(let address): (.tryAgain, "\(address) is measuring: another process has started it")
        case .isStillMeasuring(let address, let process):
            (.tryAgain, "\(address) is still measuring: process \(process) was asked to stop it and has not")
        case .noClock(let address): (.protocolFault, "\(address) did not send its clock: the conversation ended without it")
        case .noSinks: (.usage, "no sink is given, so the readings would be stored nowhere")
        }
    }
}

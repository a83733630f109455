/// Why a measurement gave no blood pressure, in this program's words. The cuff's own code stands beside it.
public enum FailureReason: UInt8, Sendable, Hashable, CaseIterable {
    case unknown
    case cuffLoose, leak, noInflation, inflationTooFast, deflationTooFast, deflationTooSlow, overPressure
    case timeout, noPulse, weakPulse, movement, signalLost, outOfRange, saturated, stopped, selfTest
    case systolicNotFound, diastolicNotFound, meanNotFound, pulseNotFound, insufficientPressure
    case residualPressure, batteryLow, wrongCuff, zeroCalibration, hardware, noValue
    // What the host saw of a measurement it had asked for; no cuff says these.
    case noAnswer, refused, lost, noResult
    // Not a failed measurement: the sender withdrew a result that it had sent before.
    case withdrawn

    /// The word of `reason` in JSON, in CSV and in the database.
    public var word: StaticString {
        switch self {
        case .unknown: "unknown"
        case .cuffLoose: "cuff_loose"
        case .leak: "leak"
        case .noInflation: "no_inflation"
        case .inflationTooFast: "inflation_too_fast"
        case .deflationTooFast: "deflation_too_fast"
        case .deflationTooSlow: "deflation_too_slow"
        case .overPressure: "over_pressure"
        case .timeout: "timeout"
        case .noPulse: "no_pulse"
        case .weakPulse: "weak_pulse"
        case .movement: "movement"
        case .signalLost: "signal_lost"
        case .outOfRange: "out_of_range"
        case .saturated: "saturated"
        case .stopped: "stopped"
        case .selfTest: "self_test"
        case .systolicNotFound: "systolic_not_found"
        case .diastolicNotFound: "diastolic_not_found"
        case .meanNotFound: "mean_not_found"
        case .pulseNotFound: "pulse_not_found"
        case .insufficientPressure: "insufficient_pressure"
        case .residualPressure: "residual_pressure"
        case .batteryLow: "battery_low"
        case .wrongCuff: "wrong_cuff"
        case .zeroCalibration: "zero_calibration"
        case .hardware: "hardware"
        case .noValue: "no_value"
        case .noAnswer: "no_answer"
        case .refused: "refused"
        case .lost: "lost"
        case .noResult: "no_result"
        case .withdrawn: "withdrawn"
        }
    }
}

/// A measurement that a cuff reports as failed. It is an event with an identity of its own, never a reading with zeros.
public struct Failure: Sendable, Hashable {
    /// The cause in this program's words; `unknown` where the cuff's code is not documented.
    public var reason: FailureReason
    /// The cuff's own code, e.g. `E44`; empty when it has none.
    public var code: ShortText

    /// Sets each property as given.
    public init(_ reason: FailureReason, code: ShortText = ShortText()) {
        self.reason = reason
        self.code = code
    }
}

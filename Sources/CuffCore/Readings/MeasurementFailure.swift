/// Why a measurement gave no blood pressure, in this program's terms.
public enum FailureReason: UInt8, Sendable, Hashable, CaseIterable {
    case unknown
    case cuffLoose, leak, noInflation, inflationTooFast, deflationTooFast, deflationTooSlow, overPressure
    case timeout, noPulse, weakPulse, movement, signalLost, outOfRange, saturated, stopped, selfTest
    case systolicNotFound, diastolicNotFound, meanNotFound, pulseNotFound, insufficientPressure
    case residualPressure, batteryLow, wrongCuff, zeroCalibration, hardware, noValue
    // Detected by the host; never sent by a cuff.
    case noAnswer, refused, lost, noResult
    // Not a failed measurement: the sender withdrew an earlier result.
    case withdrawn

    /// The word in JSON, CSV and the database.
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

/// A family's error codes, for its decoder and its simulated cuff.
extension [Int: FailureReason] {
    /// The failure of a code, which is told as a number unless `text` has another form.
    func failure(_ code: Int, _ text: ShortText? = nil) -> MeasurementFailure {
        MeasurementFailure(self[code] ?? .unknown, code: text ?? ShortText(String(code)))
    }

    /// The lowest code of a reason.
    func code(_ reason: FailureReason?) -> Int? { keys.filter { self[$0] == reason }.min() }
}

/// A measurement that a cuff reports as failed: an event with its own id, never a reading with zeros.
public struct MeasurementFailure: Sendable, Hashable {
    /// The cause; `unknown` if the cuff's code is not documented.
    public var reason: FailureReason
    /// The cuff's own code, e.g. `E44`; may be empty.
    public var code: ShortText

    /// Creates a failure.
    public init(_ reason: FailureReason, code: ShortText = ShortText()) {
        self.reason = reason
        self.code = code
    }
}

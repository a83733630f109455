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
    public var word: StaticString { Self.words[Int(rawValue)] }

    /// By raw value; `FailureReasonTests` compares them with the names of the cases.
    private static let words: [StaticString] = [
        "unknown",
        "cuff_loose", "leak", "no_inflation", "inflation_too_fast", "deflation_too_fast", "deflation_too_slow", "over_pressure",
        "timeout", "no_pulse", "weak_pulse", "movement", "signal_lost", "out_of_range", "saturated", "stopped", "self_test",
        "systolic_not_found", "diastolic_not_found", "mean_not_found", "pulse_not_found", "insufficient_pressure",
        "residual_pressure", "battery_low", "wrong_cuff", "zero_calibration", "hardware", "no_value",
        "no_answer", "refused", "lost", "no_result",
        "withdrawn",
    ]
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

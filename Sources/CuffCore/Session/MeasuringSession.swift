/// A session that can start a measurement. After any error, the cuff gets the command to deflate.
protocol MeasuringSession: RequestSession {
    /// Stops the measurement and deflates the cuff.
    var stopCommand: [UInt8] { get }
}

extension MeasuringSession {
    /// Writes the stop, ending the measurement's timers and request; `ownTimeOut` gets `.response` after `limit`. `isAborted`: the user asked
    /// for it.
    mutating func stop(within limit: Duration, isAborted: Bool = true, into actions: inout SessionActions) {
        actions.append(.write(stopCommand))
        if isAborted { actions.append(.live(.aborted)) }
        requests.end(into: &actions)
        for timer in [TimerID.overall, .silence, .poll] { actions.disarm(timer) }
        actions.arm(.response, limit)
    }

    mutating func giveUp(_ why: String, as reason: FailureReason = .timeout, into actions: inout SessionActions) {
        actions.append(.write(stopCommand))
        actions.append(.live(.failed(.init(reason))))
        finish(.noAnswer(why), into: &actions)
    }
}

extension SessionActions {
    /// Reports a gap between frames.
    public mutating func report(skipped bytes: Int, _ fault: FrameFault) { append(.report(.skipped(bytes: bytes, fault))) }

    mutating func note(_ text: String) { append(.report(.note(text))) }
    mutating func warn(_ text: String) { append(.report(.warning(text))) }
    mutating func ignore(_ text: StaticName, _ bytes: [UInt8]) { append(.report(.ignored(text, bytes))) }
    mutating func arm(_ timer: TimerID, _ duration: Duration) { append(.arm(timer, duration)) }
    mutating func disarm(_ timer: TimerID) { append(.disarm(timer)) }
}

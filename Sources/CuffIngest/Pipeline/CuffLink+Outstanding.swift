import CuffCore

/// What the cuff may send again is kept for the next process, and what was lost with the line is taken back.
extension CuffLink {
    /// The line is gone, and with it an acknowledgement that the kernel had not taken. What it had taken counts as received.
    func lineBroke() {
        guard !isEnded, unsentAcknowledgement > 0 else { return }
        ledger.expectRepetitions(isLost: true)
        keepOutstanding()
    }

    /// Before a batch is submitted, and before an acknowledgement is written.
    func keepOutstanding(durably: Bool = true) {
        guard kept.differs(from: ledger.outstanding) else { return }
        // Files may take their time.
        if durably { queue.neverInPlace() }
        do throws(IngestError) { try kept.keep(ledger.outstanding, device: ledger.device, durably: durably) } catch {
            tell(.diagnostic(.warning(error.what)))
        }
    }
}

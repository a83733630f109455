extension Redaction {
    /// Cleared in answers: addresses, location name, the unknown check, and for each parameter the undocumented bytes between its update
    /// and its type (limits, messages and more). The known request stays; others are cleared.
    static let geUnity = Redaction { items, side, work in
        (side == .fromCuff ? geUnityAnswers : geUnityRequests).rewrite(&items, side, &work)
    }

    private static let geUnityAnswers = frames(GeUnityFrame(), blanksGaps: true) { answer, _, work in
        work.clear(&answer, 0..<12, .device)
        work.clear(&answer, 24..<56, .person)
        let first = GeUnityFrame.headLength + GeUnityFrame.summaryLength
        for start in stride(from: first, to: answer.count - 2, by: GeUnityFrame.parameterLength) {
            work.clear(&answer, (start + 10)..<(start + 64), .unknown)
        }
        work.clear(&answer, (answer.count - 2)..<answer.count, .unknown)
    }

    private static let geUnityRequests = stream { bytes, _, work in
        var offset = 0
        while offset < bytes.count {
            let isRequest = bytes[offset...].starts(with: GeUnityFrame.request)
            if !isRequest { work.clear(&bytes, offset..<(offset + 1), .unknown) }
            offset += isRequest ? GeUnityFrame.request.count : 1
        }
    }
}

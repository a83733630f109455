import CuffCore

/// Prints a conversation of IEEE 11073 APDUs for people who debug agents.
package enum Explaining {
    /// Throws for drivers whose frames have no nested fields.
    package static func permit(_ driver: String) throws(IngestError) {
        guard driver == "phd" else {
            _ = try Ingest.driver(driver)
            throw IngestError(InputFault.nothingToExplain(driver: driver))
        }
    }

    /// Explains every APDU of a capture or raw bytes; `put` prints text. Throws if the source is unreadable or has no APDU.
    package static func run(_ source: String, put: (String) -> Void) throws(IngestError) {
        var explanation = PHDExplanation()
        let file = try InputFile(.path(source))
        let stop = StopSignal()
        guard let first = try file.next(stop) else {
            throw IngestError(InputFault.empty(file.name))
        }
        var form = CaptureForms.source(for: first)
        var items: [CaptureItem] = []
        var chunk: [UInt8]? = first
        var isCapture = true
        var isFirst = true
        while let bytes = chunk {
            if isCapture {
                do throws(CaptureFault) { try form.read(bytes, into: &items) } catch {
                    // If even the start is not a capture, it is raw bytes of the agent.
                    guard isFirst else {
                        throw form.error(error, in: file.name)
                    }
                    isCapture = false
                    items = []
                }
            }
            if !isCapture { items.append(CaptureItem(.fromCuff(bytes))) }
            explain(items, &explanation, put)
            items.removeAll()
            isFirst = false
            chunk = try file.next(stop)
        }
        if isCapture {
            do throws(CaptureFault) { try form.finish(into: &items) } catch {
                throw form.error(error, in: file.name)
            }
            explain(items, &explanation, put)
        }
        for line in explanation.finish() { put(line + "\n") }
        if explanation.apdus == 0 { throw IngestError(InputFault.noAPDU(file.name)) }
    }

    private static func explain(_ items: [CaptureItem], _ explanation: inout PHDExplanation, _ put: (String) -> Void) {
        for item in items {
            let (bytes, isAgent): ([UInt8], Bool)
            switch item.content {
            case .fromCuff(let sent): (bytes, isAgent) = (sent, true)
            case .toCuff(let sent): (bytes, isAgent) = (sent, false)
            case .event(let event):
                put("! \(DeviceIdentity.text(event.text.utf8))\n")
                continue
            }
            let lines = explanation.explain(bytes, fromAgent: isAgent)
            guard !lines.isEmpty else { continue }
            put("\(isAgent ? "<" : ">")\(item.time.map { " at \(Double($0) / 1_000_000) s" } ?? "")\n")
            put(lines.joined(separator: "\n") + "\n")
        }
    }
}

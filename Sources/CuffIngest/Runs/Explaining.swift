import CuffCore

/// Prints what each byte of a recording is, for people who write drivers or debug devices.
package enum Explaining {
    /// Explains a capture or raw bytes with this driver; `put` prints text. Throws if the source is unreadable or holds no frame.
    package static func run(
        _ source: String, driver: String, options: [String: String] = [:], selection: CaptureSelection = CaptureSelection(),
        put: (String) -> Void
    ) throws(IngestError) {
        let driver = try Ingest.driver(driver)
        try driver.permit(options: options)
        let (name, items, isCapture) = try read(source, selection)
        let hasFrame = driver.id == "phd" ? apdus(items, put) : fields(items, driver, options, isCapture, put)
        if !hasFrame { throw IngestError(InputFault.noFrame(name, driver: "\(driver.id)")) }
    }

    private static func read(
        _ source: String, _ selection: CaptureSelection
    ) throws(IngestError) -> (name: String, items: [CaptureItem], isCapture: Bool) {
        let file = try InputFile(.path(source))
        let stop = StopSignal()
        var next = try file.next(stop)
        guard let first = next else { throw IngestError(InputFault.empty(file.name)) }
        try CaptureForms.refuseOthers(first, file.name)
        if !CaptureForms.isPcapng(first) { try selection.refuse(file.name) }
        let isCapture = CaptureForms.isPcapng(first) || CaptureForms.isText(first)
        var form = CaptureForms.source(for: first, selection)
        var items: [CaptureItem] = []
        while let bytes = next {
            if isCapture {
                do throws(CaptureFault) { try form.read(bytes, into: &items) } catch { throw form.error(error, in: file.name) }
            } else {
                items.append(CaptureItem(.fromCuff(bytes)))
            }
            next = try file.next(stop)
        }
        if isCapture {
            do throws(CaptureFault) { try form.finish(into: &items) } catch { throw form.error(error, in: file.name) }
        }
        return (file.name, items, isCapture)
    }

    /// IEEE 11073 has fields within fields, which are shown as a tree.
    private static func apdus(_ items: [CaptureItem], _ put: (String) -> Void) -> Bool {
        var explanation = PHDExplanation()
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
        for line in explanation.finish() { put(line + "\n") }
        return explanation.apdus > 0
    }

    private static func fields(
        _ items: [CaptureItem], _ driver: CuffDriver, _ options: [String: String], _ isCapture: Bool, _ put: (String) -> Void
    ) -> Bool {
        let fields = Explanation.fields(of: items, driver: driver, options: options, hasBothSides: isCapture)
        for field in fields {
            for start in stride(from: 0, to: field.bytes.count, by: 16) {
                let hex = Hex.text(field.bytes[start..<min(start + 16, field.bytes.count)])
                let offset = String(field.offset + start, radix: 16)
                let place = String(repeating: "0", count: max(0, 4 - offset.count)) + offset
                let room = String(repeating: " ", count: 49 - hex.count)
                put("\(field.isFromCuff ? "<" : ">") \(place)  \(hex)\(room)\(start == 0 ? text(field.meaning) : "")".trimmed + "\n")
            }
        }
        return fields.contains { $0.isFromCuff && $0.meaning != .noFrame }
    }

    private static func text(_ meaning: Explanation.Meaning) -> String {
        switch meaning {
        case .values(let values): values.joined(separator: "; ")
        case .structure: "structure"
        case .check: "check"
        case .notKnown: "not known"
        case .noFrame: "no frame"
        case .fromHost: "written by the host"
        case .notTried: "not tried, the frame is too long"
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

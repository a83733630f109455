import CuffCore

extension Ingest {
    /// Decodes raw bytes of a cuff, in constant memory. `isLive`: the bytes come from a cuff now, so readings get a receive time;
    /// otherwise the result does not depend on the time of the run. A pcapng file is recognised and replayed.
    package static func decode(
        driver id: String, input: InputSource, isLive: Bool = false, selection: CaptureSelection = CaptureSelection(),
        options: IngestOptions = IngestOptions()
    ) throws(IngestError) -> IngestReport {
        let driver = try driver(id, among: options.drivers)
        try driver.permit(options: options.driverOptions)
        let file = try InputFile(input)
        if file.kind == .regular && file.isEmpty {
            throw IngestError(InputFault.empty(file.name))
        }
        let first = try file.next(options.stop)
        if let first, CaptureForms.isPcapng(first) {
            if isLive {
                throw IngestError(InputFault.hasTimes(file.name))
            }
            return try replay([CaptureInput(file, head: first, selection)], driver: id, speed: .max, options: options)
        }
        if let first, !isLive { try CaptureForms.refuseOthers(first, file.name) }
        if let first, CaptureForms.isText(first) {
            throw IngestError(InputFault.isCapture(file.name, isStandardInput: file.isStandardInput))
        }
        try selection.refuse(file.name)
        var options = options
        let hasIgnored = Locked(false)
        options.diagnostics = { [tell = options.diagnostics] diagnostic in
            if case .ignored = diagnostic { hasIgnored.withLock { $0 = true } }
            tell(diagnostic)
        }
        let pipeline = try pipeline(options)
        var run = RecordedLink(driver, pipeline: pipeline, options: options, looksAhead: false, isLive: isLive)
        var report = IngestReport()
        var next = first
        while !pipeline.isStopped, let chunk = next {
            if isLive { run.arrived(at: options.clock()) }
            run.play(bytes: chunk)
            run.submit()
            next = pipeline.isStopped ? nil : try file.next(options.stop)
        }
        run.end()
        run.submit()
        run.report(into: &report)
        try finish(pipeline, &report, stop: options.stop)
        if report.counters.bytes == 0 && !options.stop.isRaised && !report.isOutputClosed {
            throw IngestError(InputFault.noBytes(file.name))
        }
        // A cuff that sends unasked has other reasons. Of HID reports in a row only the first is judged, and it may be a mere OK.
        let hasAnswers = driver.medium == .hidraw || hasIgnored.withLock { $0 }
        let lacksRequests = !driver.capabilities.contains(.push) && hasAnswers
        report.judge(report.counters, of: driver, lacksRequests: lacksRequests)
        return report
    }
}

extension IngestReport {
    /// Input without anything of the driver's protocol is bad data; noise around readings is not. `source` names one of several
    /// inputs; `lacksRequests`: answers were ignored, because raw bytes have no requests.
    mutating func judge(
        _ counters: LinkCounters, of driver: CuffDriver, in source: String? = nil, recordedAs: String? = nil, lacksRequests: Bool = false
    ) {
        guard !isOutputClosed, counters.readings == 0, counters.liveEvents == 0, counters.duplicates == 0,
            counters.bytes > 0, counters.skippedBytes > 0 || lacksRequests
        else { return }
        status = .badData
        if lacksRequests { return endings.append(.requestsMissing(driver: driver.id, bytes: Int(counters.bytes))) }
        endings.append(
            .nothingUnderstood(
                driver: driver.id, bytes: Int(counters.bytes), skipped: Int(counters.skippedBytes), source: source, recordedAs: recordedAs))
    }
}

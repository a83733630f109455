import CuffCore

extension Identifying.Report {
    /// Readings that came over the port and that no cuff sends again; 0 for a file.
    package var readingsHeard: Int { line == nil ? 0 : candidates.filter { $0.readings > 0 }.map(\.readings).max() ?? 0 }

    /// The one family that read something, where a check and most of the bytes say so.
    package var certain: DriverID? {
        let reading = candidates.filter { $0.readings > 0 }
        return reading.count == 1 && reading[0].isLikely && reading[0].isChecked ? reading[0].driver : nil
    }
}

extension Ingest {
    /// Keeps what came over a port while it was identified, as a read would have: with the time at which it came. Only for a
    /// report that is `certain`.
    package static func save(_ report: Identifying.Report, options: IngestOptions) throws(IngestError) -> IngestReport {
        var result = IngestReport()
        guard let id = report.certain, report.line != nil else { return result }
        let pipeline = try pipeline(options)
        var link = RecordedLink(
            try driver(id.description, among: options.drivers), pipeline: pipeline, options: options, looksAhead: true, isLive: true,
            start: report.start)
        var pace = ReplayPace(.max)
        for item in report.heard where !pipeline.isStopped { _ = link.play(item, &pace) }
        link.end()
        link.submit()
        link.report(into: &result)
        try finish(pipeline, &result, stop: options.stop)
        return result
    }
}

import CuffCore

extension Identifying.Report {
    /// Readings received during identification, which the cuff does not send again; 0 for a file.
    package var readingsHeard: Int { line == nil ? 0 : candidates.filter { $0.readings > 0 }.map(\.readings).max() ?? 0 }

    /// The only family that decoded a reading, if a check and most of the bytes support it.
    package var certain: DriverID? {
        let reading = candidates.filter { $0.readings > 0 }
        return reading.count == 1 && reading[0].isLikely && reading[0].isChecked ? reading[0].driver : nil
    }
}

extension Ingest {
    /// Stores what was received during identification, with arrival times, as a read would have. Only for a report that is
    /// `certain`.
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

import CuffCore
import Glibc

extension Ingest {
    /// The speed of a replay.
    public enum Speed: Sendable, Equatable {
        case max
        /// A factor; 1 is real time.
        case times(Double)

        /// Parses `max`, `real` or a number.
        /// - Throws: An `IngestError` of status `usage` for anything else.
        public init(_ text: String) throws(IngestError) {
            switch text {
            case "max": self = .max
            case "real": self = .times(1)
            default:
                guard let factor = Double(text), factor > 0, factor.isFinite else {
                    throw IngestError(RequestFault.notASpeed(text))
                }
                self = .times(factor)
            }
        }
    }

    /// Plays captures through the usual session, pipeline and sinks. `driver` is for captures that name none, `selection` for captures
    /// of a USB bus.
    /// - Throws: An `IngestError` of status `noInput` for a missing or unreadable file, `badData` for one that is empty or not a
    ///   capture, `usage` without a driver or for an unknown one; and the fault of a sink that cannot be opened.
    public static func replay(
        paths: [String], driver id: String? = nil, speed: Speed = .max, selection: CaptureSelection = CaptureSelection(),
        options: IngestOptions = IngestOptions()
    ) throws(IngestError) -> IngestReport {
        // All files are opened first, so that an unreadable one fails before anything is stored.
        let files = try paths.map { (path) throws(IngestError) in try CaptureInput(path, selection) }
        return try replay(files, driver: id, speed: speed, options: options)
    }

    static func replay(
        _ files: [CaptureInput], driver id: String?, speed: Speed, options: IngestOptions
    ) throws(IngestError) -> IngestReport {
        let pipeline = try pipeline(options)
        var report = IngestReport()
        var fault: IngestError?
        for file in files where fault == nil && !pipeline.isStopped && !options.stop.isRaised {
            do throws(IngestError) {
                try replay(file, driver: id, speed: speed, pipeline: pipeline, options: options, into: &report)
            } catch { fault = error }
        }
        // A signal after the last item cuts nothing off.
        let ending = options.stop.ending
        try finish(pipeline, &report, stop: options.stop)
        if let fault { throw fault }
        if report.status == .done, !report.isOutputClosed { report.status = ending }
        return report
    }

    private static func replay(
        _ input: CaptureInput, driver id: String?, speed: Speed, pipeline: Pipeline, options: IngestOptions,
        into report: inout IngestReport
    ) throws(IngestError) {
        var input = input
        var isMore = true
        var first: CaptureItem?
        while first == nil, isMore, !pipeline.isStopped {
            isMore = try input.fill(options.stop)
            first = try input.next()
        }
        guard let first else {
            // Ctrl-C also ends the program that writes the pipe, whose end may be seen before the signal.
            if input.file.kind != .regular, !options.stop.sleep(nanoseconds: 100_000_000) { return }
            if options.stop.isRaised { return }
            throw IngestError(InputFault.noConversation(input.name, remark: input.source.remarks.first))
        }
        var run = try recordedLink(input, driver: id, pipeline: pipeline, options: options)
        var pace = ReplayPace(speed)
        var fault: IngestError?
        // Items before a broken line are played; then the error is reported.
        do throws(IngestError) {
            if run.play(first, &pace) { try input.forEach { run.play($0, &pace) } }
            run.submit()
            while isMore, !pipeline.isStopped, !options.stop.isRaised {
                isMore = try input.fill(options.stop)
                try input.forEach { run.play($0, &pace) }
                run.submit()
            }
        } catch { fault = error }
        run.end()
        run.submit()
        run.report(into: &report)
        if let fault { throw fault }
        if !pipeline.isStopped, !options.stop.isRaised {
            let told = input.source.header["driver"]
            let status = report.status
            report.judge(run.counters, of: run.driver, in: input.name, recordedAs: told)
            // Of the capture's own driver, the outcome is what was recorded.
            if told == run.driver.id.description { report.status = status }
        }
        for loss in input.source.losses { options.diagnostics(.warning("\(input.name): \(loss)")) }
        for remark in input.source.remarks { options.diagnostics(.note("\(input.name): \(remark)")) }
    }

    /// For a capture whose header and first item were read.
    private static func recordedLink(
        _ input: CaptureInput, driver id: String?, pipeline: Pipeline, options: IngestOptions
    ) throws(IngestError) -> RecordedLink {
        let name = id ?? input.source.header["driver"] ?? input.source.impliedDriver?.description
        guard let name else {
            throw IngestError(InputFault.noDriver(input.name))
        }
        let driver = try driver(name, among: options.drivers)
        try driver.permit(options: options.driverOptions)
        if let told = input.source.header["driver"], told != name {
            options.diagnostics(.warning("\(input.name) names the driver \(told), and is read as \(name)"))
        }
        return RecordedLink(
            driver, pipeline: pipeline, options: options,
            device: options.device.isEmpty ? input.source.header["device"].map { StandardErrorLog.harmless($0) } : options.device,
            isLineUnchecked: input.source.header["line"].flatMap { LineSettings($0) } != nil, looksAhead: true,
            start: input.source.start)
    }
}

/// Delays items until their time.
struct ReplayPace {
    private let factor: Double?
    private let start = HostClock.monotonic()
    private var first: Int64?

    init(_ speed: Ingest.Speed) {
        switch speed {
        case .max: factor = nil
        case .times(let factor): self.factor = factor
        }
    }

    var isTimed: Bool { factor != nil }

    /// `false` if the run was stopped. Items without a time are not delayed.
    mutating func wait(for item: CaptureItem, _ stop: StopSignal) -> Bool {
        guard let factor, let time = item.time else { return !stop.isRaised }
        let zero = first ?? time
        first = zero
        let due = Double(time - zero) * 1000 / factor
        let left = due - Double(HostClock.monotonic() - start)
        return left <= 0 ? !stop.isRaised : stop.sleep(nanoseconds: Int64(min(left, 1e18)))
    }
}

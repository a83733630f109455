import CuffCore
import Glibc

extension Ingest {
    /// Where the bytes come from.
    public enum Input: Sendable {
        /// A file's path; `-` is standard input.
        case path(String)
        /// An open descriptor, with what to call it.
        case descriptor(Int32, name: String)
    }

    /// Raw bytes of a cuff in, readings out: any size in constant memory. With `isLive` the bytes come from a cuff at this
    /// moment, so readings get their receive time; without, nothing rests on the moment of the run. A pcapng file is told by
    /// how it begins and replayed.
    public static func decode(
        driver id: String, input: Input, isLive: Bool = false, selection: CaptureSelection = CaptureSelection(),
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
        if let first, CaptureForms.isText(first) {
            throw IngestError(InputFault.isCapture(file.name, isStandardInput: file.isStandardInput))
        }
        try selection.refuse(file.name)
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
        report.judge(report.counters, of: driver)
        return report
    }
}

extension IngestReport {
    /// Bytes that held nothing of the driver's protocol are bad data; noise around readings is not. `source` names one of
    /// several inputs.
    mutating func judge(_ counters: LinkCounters, of driver: CuffDriver, in source: String? = nil, recordedAs: String? = nil) {
        guard !isOutputClosed, counters.readings == 0, counters.liveEvents == 0, counters.duplicates == 0,
            counters.bytes > 0, counters.skippedBytes > 0
        else { return }
        status = .badData
        endings.append(
            .nothingUnderstood(
                driver: driver.id, bytes: Int(counters.bytes), skipped: Int(counters.skippedBytes), source: source, recordedAs: recordedAs))
    }
}

/// A file or stream read chunk by chunk; what is there is taken at once, so that live input is not held back.
final class InputFile {
    let name: String
    let kind: Descriptor.Kind
    private let descriptor: Int32
    private let isOwn: Bool
    var isStandardInput: Bool { descriptor == STDIN_FILENO }
    /// What a pipe holds at most. A quarter megabyte of a file was measured to be a fifth slower: its readings no longer
    /// stay in the processor's cache until they are printed.
    private let size = 1 << 16

    init(_ input: Ingest.Input) throws(IngestError) {
        switch input {
        case .path("-"): (descriptor, name, isOwn) = (STDIN_FILENO, "standard input", false)
        case .descriptor(let descriptor, let name): (self.descriptor, self.name, isOwn) = (descriptor, name, false)
        case .path(let path):
            do throws(SystemFault) { descriptor = try Descriptor.open(path, O_RDONLY | O_NOCTTY) } catch {
                throw .reading(path, error.number)
            }
            (name, isOwn) = (path, true)
        }
        kind = Descriptor.kind(descriptor)
        // From here on every property is set, and deinit closes the descriptor of an initialiser that throws.
        if kind == .directory { throw .reading(name, EISDIR) }
        if kind == .terminal && !isOwn {
            throw IngestError(InputFault.isTerminal(name))
        }
    }

    deinit { if isOwn { close(descriptor) } }

    var isEmpty: Bool { Descriptor.size(descriptor) == 0 }

    /// The next bytes; `nil` at the end or when the run is stopped.
    func next(_ stop: StopSignal) throws(IngestError) -> [UInt8]? {
        if stop.isRaised { return nil }
        if kind != .regular && !stop.waitForInput(descriptor) { return nil }
        do throws(SystemFault) {
            let chunk = try Descriptor.chunk(descriptor, size)
            return chunk.isEmpty ? nil : chunk
        } catch {
            // A pseudo terminal whose other end is gone says so by an error.
            if error.number == EIO && kind != .regular { return nil }
            throw .reading(name, error.number)
        }
    }
}

import CuffCore
import Glibc

extension Ingest {
    public enum Speed: Sendable, Equatable {
        case max
        /// As many times faster as it was recorded; 1 is real time.
        case times(Double)

        /// Reads `max`, `real` or a number.
        public init(_ text: String) throws(IngestError) {
            switch text {
            case "max": self = .max
            case "real": self = .times(1)
            default:
                guard let factor = Double(text), factor > 0, factor.isFinite else {
                    throw IngestError(.usage, "`\(text)` is no speed", cure: "write max, real or a number, e.g. 10")
                }
                self = .times(factor)
            }
        }
    }

    /// Captures through the very same session, pipeline and sinks. `driver` is for captures that name none.
    public static func replay(
        paths: [String], driver id: String? = nil, speed: Speed = .max, options: IngestOptions = IngestOptions()
    ) throws(IngestError) -> IngestReport {
        // A name that cannot be read must not come to light after half of the captures are stored.
        let files = try paths.map { (path) throws(IngestError) in try CaptureInput(path) }
        let pipeline = try pipeline(options)
        var report = IngestReport()
        var fault: IngestError?
        for file in files where fault == nil && !pipeline.isStopped && !options.stop.isRaised {
            do throws(IngestError) {
                try replay(file, driver: id, speed: speed, pipeline: pipeline, options: options, into: &report)
            } catch { fault = error }
        }
        try finish(pipeline, &report)
        if let fault { throw fault }
        return report
    }

    private static func replay(
        _ input: CaptureInput, driver id: String?, speed: Speed, pipeline: Pipeline, options: IngestOptions,
        into report: inout IngestReport
    ) throws(IngestError) {
        var input = input
        var items: [CaptureItem] = []
        var run: PlayRun?
        var pace = ReplayPace(speed)
        var fault: IngestError?
        var isMore = true
        while isMore && fault == nil && !pipeline.isStopped {
            items.removeAll(keepingCapacity: true)
            // What stood before a broken line is played; the line is told then.
            do throws(IngestError) { isMore = try input.read(into: &items, options.stop) } catch { fault = error }
            if run == nil && !items.isEmpty {
                let name = id ?? input.source.header["driver"]
                guard let name else {
                    throw IngestError(
                        .usage, "\(input.name) names no driver", why: "its header has no line `# driver: ID`",
                        cure: "add --driver ID")
                }
                run = PlayRun(
                    try driver(name), pipeline: pipeline, options: options,
                    device: options.device.isEmpty ? input.source.header["device"] : options.device, looksAhead: true)
                run?.player.start = input.source.start
            }
            for item in items where !pipeline.isStopped {
                if pace.isTimed {
                    run?.submit()
                    guard pace.wait(for: item, options.stop) else { break }
                }
                run?.play(item)
            }
            run?.submit()
        }
        run?.end()
        run?.submit()
        run?.report(into: &report)
        if let fault { throw fault }
        guard run != nil || options.stop.isRaised else {
            throw IngestError(.badData, "\(input.name) holds no conversation", why: "there is no line of bytes in it")
        }
    }
}

/// Holds items back until their time has come.
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

    /// Answers `false` when the run was stopped meanwhile. Items without a time follow at once.
    mutating func wait(for item: CaptureItem, _ stop: StopSignal) -> Bool {
        guard let factor, let time = item.time else { return !stop.isRaised }
        let zero = first ?? time
        first = zero
        let due = Double(time - zero) * 1000 / factor
        let left = due - Double(HostClock.monotonic() - start)
        return left <= 0 ? !stop.isRaised : stop.sleep(nanoseconds: Int64(min(left, 1e18)))
    }
}

/// A capture file, its form told by how it begins.
struct CaptureInput {
    let file: InputFile
    private(set) var source: any CaptureSource
    private var head: [UInt8]?

    var name: String { file.name }

    init(_ path: String) throws(IngestError) {
        file = try InputFile(.path(path))
        if file.kind == .regular && file.isEmpty {
            throw IngestError(.badData, "\(path) is empty", cure: "name a capture, e.g. one from `cuff record`")
        }
        source = CaptureTextReader()
    }

    /// Appends the items of the next chunk; answers whether there may be more.
    mutating func read(into items: inout [CaptureItem], _ stop: StopSignal) throws(IngestError) -> Bool {
        let chunk = try file.next(stop)
        do throws(CaptureFault) {
            if head == nil, let chunk {
                head = chunk
                source = CaptureForms.source(for: chunk)
                head = []
            }
            if let chunk { try source.read(chunk, into: &items) } else { try source.finish(into: &items) }
        } catch {
            throw IngestError(
                .badData, "\(name):\(error.line): \(error.reason)",
                cure: "correct that line; the readings before it are kept")
        }
        return chunk != nil
    }
}

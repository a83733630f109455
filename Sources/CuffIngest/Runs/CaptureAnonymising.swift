import CuffCore
import Glibc

/// Removes names, ids and serial numbers from recordings and shifts their times, for users who share a recording of their cuff.
package enum CaptureAnonymising {
    /// Both recordings are replayed from memory; a cuff's whole memory has some kilobytes.
    package static let maximumBytes = 4 << 20

    package struct Report: Sendable {
        package var path: String
        package var driver: String
        package var changes: [Redaction.Kind: Int]
        package var droppedFields: [String]
        /// Header fields that were kept, with their values.
        package var keptFields: [(key: String, value: String)]
        /// Bytes outside complete frames, kept as recorded.
        package var leftBytes: Int
        package var readings: Int
    }

    /// The output paths: one input is written to `output`, several to files of their names in the folder `output`.
    package static func targets(of inputs: [String], in output: String) throws(IngestError) -> [String] {
        guard inputs.count > 1 || isFolder(output) else { return [output] }
        guard isFolder(output) else { throw IngestError(AnonymisingFault.needsFolder(output)) }
        var targets: [String] = []
        for input in inputs {
            let name = input.split(separator: "/").last.map(String.init) ?? "standard-input.capture"
            let target = "\(output)/\(name == "-" ? "standard-input.capture" : name)"
            guard !targets.contains(target) else { throw IngestError(AnonymisingFault.sameTarget(target)) }
            targets.append(target)
        }
        return targets
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// An unpredictable shift: one to five years into the past.
    package static func randomDays() -> Int { -Int.random(in: 366...1826) }

    /// Rewrites one recording. The output is created only if it gives the same readings as the original and contains none of its
    /// ids. Its format follows its suffix.
    package static func run(
        from input: String, to output: String, days: Int, driver id: String? = nil, options: [String: String] = [:],
        selection: CaptureSelection = CaptureSelection(), replaces: Bool = false
    ) throws(IngestError) -> Report {
        let (items, source, name) = try read(input, selection)
        // Another family's redaction would leave everything as it is.
        if let id, let own = source.header["driver"], id != own { throw IngestError(AnonymisingFault.otherDriver(name, driver: own)) }
        guard let driverID = id ?? source.header["driver"] ?? source.impliedDriver?.description else {
            throw IngestError(AnonymisingFault.noDriver(name))
        }
        let driver = try Ingest.driver(driverID)
        guard let redaction = driver.redaction else {
            throw IngestError(AnonymisingFault.unsupported(name, driver: driver.id.description))
        }
        var header = source.header
        if header["driver"] == nil { header.fields.insert(("driver", driver.id.description), at: 0) }
        let result = CaptureRedaction(items, header: header, by: redaction, days: days)
        let checked: (readings: Int, leftBytes: Int)
        do throws(RedactionCheck.Fault) {
            checked = try RedactionCheck.check(items, result, driver: driver, options: options)
        } catch {
            if case .timeOutOfRange(let time) = error {
                var text = TextBuffer(capacity: 32)
                text.append(time)
                throw IngestError(AnonymisingFault.timeOutOfRange(name, time: text.string))
            }
            throw IngestError(AnonymisingFault.unsafe(name, error))
        }
        try write(result, to: output, start: source.start, days: days, replaces: replaces)
        return Report(
            path: output, driver: driver.id.description, changes: result.work.changes, droppedFields: result.droppedFields,
            keptFields: header.fields.filter { $0.key == "changed" || $0.key != "driver" && CaptureRedaction.keptFields.contains($0.key) },
            leftBytes: checked.leftBytes, readings: checked.readings)
    }

    private static func read(
        _ input: String, _ selection: CaptureSelection
    ) throws(IngestError) -> (items: [CaptureItem], source: any CaptureSource, name: String) {
        let stop = StopSignal()
        var capture = try CaptureInput(input, selection)
        var items: [CaptureItem] = []
        var bytes = 0
        var isMore = true
        while isMore {
            isMore = try capture.fill(stop)
            while let item = try capture.next() {
                if case .fromCuff(let part) = item.content { bytes += part.count }
                if case .toCuff(let part) = item.content { bytes += part.count }
                guard bytes <= maximumBytes, items.count <= maximumBytes else {
                    throw IngestError(AnonymisingFault.tooLarge(capture.name))
                }
                items.append(item)
            }
        }
        guard !items.isEmpty else { throw IngestError(AnonymisingFault.empty(capture.name)) }
        return (items, capture.source, capture.name)
    }

    private static func write(
        _ result: CaptureRedaction, to output: String, start: Timestamp?, days: Int, replaces: Bool
    ) throws(IngestError) {
        let file = try OutputFile(output, replaces: replaces)
        var encoder = CaptureEncoder(CaptureEncoder.Form(path: output))
        var text = TextBuffer()
        let shifted = start.map { Timestamp(milliseconds: $0.milliseconds + Int64(days) * 86_400_000) }
        encoder.appendHead(result.header, start: shifted, to: &text)
        for item in result.items { encoder.append(item, to: &text) }
        try file.append(&text)
        try file.finish()
    }
}

import CuffCore

/// Converts a capture to the other format, in constant memory.
package enum CaptureConversion {
    package struct Report: Sendable {
        package var items = 0
        package var remarks: [String] = []
    }

    /// The output's format follows its suffix; `-` is standard input or, as text, standard output. `driver` is used if the
    /// capture names none.
    package static func run(
        from input: String, to output: String, driver id: String?, selection: CaptureSelection, replaces: Bool
    ) throws(IngestError) -> Report {
        if let id { _ = try Ingest.driver(id) }
        var source = try CaptureInput(input, selection)
        let file = try OutputFile(output, replaces: replaces)
        var encoder = CaptureEncoder(CaptureEncoder.Form(path: output))
        var text = TextBuffer()
        var items: [CaptureItem] = []
        var report = Report()
        var isMore = true
        let stop = StopSignal()
        while isMore {
            items.removeAll(keepingCapacity: true)
            isMore = try source.read(into: &items, stop)
            if report.items == 0 && !items.isEmpty {
                var header = source.source.header
                if header["driver"] == nil, let driver = id ?? source.source.impliedDriver?.description {
                    header.fields.insert(("driver", driver), at: 0)
                }
                encoder.appendHead(header, start: source.source.start, to: &text)
            }
            report.items += items.count
            for item in items { encoder.append(item, to: &text) }
            try file.append(&text)
        }
        report.remarks = source.source.losses + source.source.remarks
        guard report.items > 0 else {
            throw IngestError(InputFault.noConversation(source.name, remark: report.remarks.first))
        }
        try file.finish()
        return report
    }
}

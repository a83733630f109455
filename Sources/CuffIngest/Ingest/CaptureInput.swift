import CuffCore

/// A capture file, its form told by how it begins.
struct CaptureInput {
    let file: InputFile
    private let selection: CaptureSelection
    private(set) var source: any CaptureSource = CaptureTextReader()
    private var isFormKnown = false
    /// What was read before the form is known.
    private var head: [UInt8] = []

    var name: String { file.name }

    init(_ path: String, _ selection: CaptureSelection = CaptureSelection()) throws(IngestError) {
        file = try InputFile(.path(path))
        self.selection = selection
        if file.kind == .regular && file.isEmpty {
            throw IngestError(.badData, "\(path) is empty", cure: "name a capture, e.g. one from `cuff record`")
        }
    }

    /// A capture of which the beginning was read already.
    init(_ file: InputFile, head: [UInt8], _ selection: CaptureSelection) {
        self.file = file
        self.head = head
        self.selection = selection
    }

    /// Appends the items of the next chunk; answers whether there may be more.
    mutating func read(into items: inout [CaptureItem], _ stop: StopSignal) throws(IngestError) -> Bool {
        var chunk = try file.next(stop)
        let isEnd = chunk == nil
        if !isFormKnown {
            head += chunk ?? []
            // A pipe may bring a file's first bytes one by one.
            guard isEnd || head.count >= CaptureForms.enough else { return true }
            source = CaptureForms.source(for: head, selection)
            isFormKnown = true
            chunk = head
            head = []
        }
        do throws(CaptureFault) {
            if let chunk { try source.read(chunk, into: &items) }
            if isEnd { try source.finish(into: &items) }
        } catch { throw source.error(error, in: name) }
        return !isEnd
    }
}

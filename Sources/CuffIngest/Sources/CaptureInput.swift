import CuffCore

/// A capture file, whose format is recognised by its beginning.
struct CaptureInput {
    let file: InputFile
    private let selection: CaptureSelection
    private(set) var source: any CaptureSource = CaptureTextReader()
    private var isFormKnown = false
    private var head: [UInt8] = []
    /// Whether the file has ended, and whether the source was notified.
    private var isAtEnd = false
    private var isFinished = false

    var name: String { file.name }

    init(_ path: String, _ selection: CaptureSelection = CaptureSelection()) throws(IngestError) {
        file = try InputFile(.path(path))
        self.selection = selection
        if file.kind == .regular && file.isEmpty {
            throw IngestError(InputFault.empty(path))
        }
    }

    init(_ file: InputFile, head: [UInt8], _ selection: CaptureSelection) {
        self.file = file
        self.head = head
        self.selection = selection
    }

    /// Reads the next chunk of the file for `next`; returns whether there may be more.
    mutating func fill(_ stop: StopSignal) throws(IngestError) -> Bool {
        var chunk = try file.next(stop)
        isAtEnd = chunk == nil
        if !isFormKnown {
            head += chunk ?? []
            // A pipe may deliver single bytes.
            guard isAtEnd || head.count >= CaptureForms.enough else { return true }
            try CaptureForms.refuseOthers(head, name)
            if !CaptureForms.isPcapng(head) { try selection.refuse(name) }
            source = CaptureForms.source(for: head, selection)
            isFormKnown = true
            chunk = head
            head = []
        }
        if let chunk { source.feed(chunk) }
        return !isAtEnd
    }

    /// `nil` when all that was read is consumed.
    mutating func next() throws(IngestError) -> CaptureItem? {
        do throws(CaptureFault) {
            if let item = try source.next() { return item }
            guard isAtEnd, !isFinished else { return nil }
            isFinished = true
            return try source.finish()
        } catch { throw source.error(error, in: name) }
    }

    /// Passes the items read so far to `body` until it returns `false`.
    mutating func forEach(_ body: (CaptureItem) -> Bool) throws(IngestError) {
        var goesOn = true
        do throws(CaptureFault) {
            try source.forEach { item in
                goesOn = body(item)
                return goesOn
            }
        } catch { throw source.error(error, in: name) }
        // The end of the file may complete an item.
        if goesOn, let last = try next() { _ = body(last) }
    }

    /// Appends the items of the next chunk; returns whether there may be more.
    mutating func read(into items: inout [CaptureItem], _ stop: StopSignal) throws(IngestError) -> Bool {
        let isMore = try fill(stop)
        while let item = try next() { items.append(item) }
        return isMore
    }
}

/// An incremental reader of one capture format, in constant memory, without I/O. Items are returned one by one, so that each is freed
/// before the next is made; returning arrays took a fifth longer.
public protocol CaptureReader: Sendable {
    /// Adds the next bytes of the file. Call `next` until it returns `nil` before feeding again.
    mutating func feed(_ chunk: [UInt8])
    /// The next whole item; `nil` if more bytes are needed.
    /// - Throws: A `CaptureFault` for what is not of the format; nothing follows.
    mutating func next() throws(CaptureFault) -> CaptureItem?
    /// Optionally returns an item's storage, for the next item of its side.
    mutating func reuse(_ item: consuming CaptureItem)
    /// Passes the complete items so far to `body` until it returns `false`, and reuses each.
    /// - Throws: As ``next()``.
    mutating func forEach(_ body: (CaptureItem) -> Bool) throws(CaptureFault)
    /// Ends the file; returns its last item, if whole.
    /// - Throws: A `CaptureFault` if the file ends within an item.
    @discardableResult
    mutating func finish() throws(CaptureFault) -> CaptureItem?
}

extension CaptureReader {
    /// Default: discards the item.
    public mutating func reuse(_ item: consuming CaptureItem) {}

    /// Default: calls `next` and `reuse` for each item.
    /// - Throws: As ``next()``.
    public mutating func forEach(_ body: (CaptureItem) -> Bool) throws(CaptureFault) {
        while let item = try next() {
            let goesOn = body(item)
            reuse(item)
            if !goesOn { return }
        }
    }

    /// Feeds `chunk` and appends the whole items.
    /// - Throws: As ``next()``.
    public mutating func read(_ chunk: [UInt8], into items: inout [CaptureItem]) throws(CaptureFault) {
        feed(chunk)
        while let item = try next() { items.append(item) }
    }

    /// Appends the last item.
    /// - Throws: As ``finish()``.
    public mutating func finish(into items: inout [CaptureItem]) throws(CaptureFault) {
        if let item = try finish() { items.append(item) }
    }
}

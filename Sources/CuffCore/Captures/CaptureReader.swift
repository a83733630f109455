/// An incremental reader of one capture format, in constant memory, without I/O. Items are passed one by one, so that the next uses the
/// storage of the last; returning arrays took a fifth longer.
public protocol CaptureReader: Sendable {
    /// Adds the next bytes of the file. Take all items before feeding again.
    mutating func feed(_ chunk: [UInt8])
    /// Passes the complete items so far to `body` until it returns `false`.
    /// - Throws: A `CaptureFault` for what is not of the format; nothing follows.
    mutating func forEach(_ body: (CaptureItem) -> Bool) throws(CaptureFault)
    /// Ends the file; returns its last item, if whole.
    /// - Throws: A `CaptureFault` if the file ends within an item.
    @discardableResult
    mutating func finish() throws(CaptureFault) -> CaptureItem?
}

extension CaptureReader {
    /// The next whole item; `nil` if more bytes are needed.
    /// - Throws: As ``forEach(_:)``.
    public mutating func next() throws(CaptureFault) -> CaptureItem? {
        var next: CaptureItem?
        try forEach { item in
            next = item
            return false
        }
        return next
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

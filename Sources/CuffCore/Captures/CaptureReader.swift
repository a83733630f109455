/// A reader of one form of capture, in any chunking and constant memory. It opens no file.
///
/// Items are handed out one by one, so that each is freed before the next is made: handing out the arrays of a whole
/// chunk at once was measured to take a fifth longer.
public protocol CaptureReader: Sendable {
    /// Hands over the next bytes of the file. Call `next` until it answers `nil` before feeding again.
    mutating func feed(_ chunk: [UInt8])
    /// The next whole item; `nil` when the bytes so far hold no more.
    mutating func next() throws(CaptureFault) -> CaptureItem?
    /// Takes back an item whose bytes are no longer needed, for the next item of its side. Calling it is optional.
    mutating func reuse(_ item: consuming CaptureItem)
    /// Passes the complete items among the bytes so far to `body` until it returns `false`, and reuses each.
    mutating func forEach(_ body: (CaptureItem) -> Bool) throws(CaptureFault)
    /// The file has ended: what its rest says, if that is whole.
    @discardableResult
    mutating func finish() throws(CaptureFault) -> CaptureItem?
}

extension CaptureReader {
    /// Drops the item.
    public mutating func reuse(_ item: consuming CaptureItem) {}

    /// Calls `next` and `reuse`, item by item.
    public mutating func forEach(_ body: (CaptureItem) -> Bool) throws(CaptureFault) {
        while let item = try next() {
            let goesOn = body(item)
            reuse(item)
            if !goesOn { return }
        }
    }

    /// Takes the next bytes of the file and appends the whole items among them.
    public mutating func read(_ chunk: [UInt8], into items: inout [CaptureItem]) throws(CaptureFault) {
        feed(chunk)
        while let item = try next() { items.append(item) }
    }

    /// Appends the last item, if the file ends with a whole one. Throws where it ends within one.
    public mutating func finish(into items: inout [CaptureItem]) throws(CaptureFault) {
        if let item = try finish() { items.append(item) }
    }
}

/// One result of `FrameReader.next`: a frame, or bytes that belong to none.
public enum FrameStep: Sendable, Hashable {
    /// A frame lies in `FrameReader.buffer` at this range, until the reader is asked again.
    case frame(Range<Int>)
    /// Bytes that belong to no frame, with the first reason. Reported once per gap, independent of the chunks.
    case skipped(Int, FrameFault)
}

/// Cuts a byte stream into frames and resynchronises after damage: the one loop for every format.
///
/// Frames are judged in the chunk where they arrived; only what stands across two chunks is copied, so that a large file
/// is read without copying it. Memory is bounded by one chunk and twice `Format.maximumLength`.
public struct FrameReader<Format: FrameFormat>: Sendable {
    /// The format that judges the bytes. A change applies to bytes not yet judged.
    public var format: Format {
        didSet { known = 0 }
    }
    /// Where the ranges of `FrameStep.frame` point to.
    public private(set) var buffer: [UInt8] = []
    private var head = 0
    /// The chunk whose beginning was copied behind a rest, while that rest is being judged.
    private var pending: [UInt8] = []
    private var rest = 0
    /// What is copied of a chunk at first; most frames end within. A verdict that rests on the last few bytes of a copy is
    /// asked for again with more of them, for a format may look at what follows a frame.
    private static var firstCopy: Int { 512 }
    private static var lookahead: Int { 16 }
    private var isJoint = false
    private var skipped = 0
    private var fault = FrameFault.notAStart
    /// The length of the frame at `head`, where it was judged already to end a gap; otherwise 0.
    private var judged = 0
    /// So many bytes at `head` are known to be no whole frame.
    private var known = 0
    /// How often the format was asked: the measure of the reader's work.
    private(set) var judgements = 0
    /// Whole, checked frames found so far.
    public private(set) var frames = 0
    /// Bytes so far that belong to no frame.
    public private(set) var skippedBytes = 0

    /// A reader at the beginning of a stream.
    public init(_ format: Format) { self.format = format }

    /// Hands over the next bytes of the stream. Call `next` until it answers `nil` before feeding again.
    public mutating func feed(_ chunk: [UInt8]) {
        guard !chunk.isEmpty else { return }
        if buffer.isEmpty {
            buffer = chunk
            head = 0
            return
        }
        rest = buffer.count
        if chunk.count <= Self.firstCopy {
            buffer.append(contentsOf: chunk)
        } else {
            buffer.append(contentsOf: chunk[..<Self.firstCopy])
            pending = chunk
            isJoint = true
        }
    }

    /// Copies more of the chunk behind the rest; `false` where all of it has been copied, or as much as the longest frame needs.
    private mutating func extend() -> Bool {
        let joined = buffer.count - rest
        let limit = min(pending.count, max(Self.firstCopy, Format.maximumLength))
        guard joined < limit else { return false }
        buffer.append(contentsOf: pending[joined..<min(limit, 4 * joined)])
        if buffer.count - rest == pending.count {
            pending = []
            isJoint = false
        }
        return true
    }

    /// The next frame or gap; `nil` when the bytes so far hold no more.
    public mutating func next() -> FrameStep? {
        if judged > 0 { return advance(past: judged) }
        while true {
            if isJoint && head >= rest {
                head -= rest
                buffer = pending
                pending = []
                isJoint = false
            }
            let available = buffer.count - head
            guard available > 0 else {
                settle()
                return nil
            }
            let verdict = format.verdict(on: buffer.span.extracting(head..<buffer.count), known: known)
            judgements &+= 1
            if case .needMore = verdict { known = available }
            if isJoint, depends(verdict, available), extend() { continue }
            switch verdict {
            case .frame(let length) where length > 0 && length <= available && length <= Format.maximumLength:
                guard skipped == 0 else {
                    judged = length
                    return gap()
                }
                return advance(past: length)
            // In smaller chunks it would not have been waited for either.
            case .frame(let length): skip(length > Format.maximumLength ? .tooLong : .badLength)
            case .needMore where available < Format.maximumLength:
                settle()
                return nil
            case .needMore: skip(.tooLong)
            case .reject(let fault): skip(fault)
            }
        }
    }

    @inline(__always)
    private mutating func advance(past length: Int) -> FrameStep {
        let range = head..<(head + length)
        head += length
        known = 0
        frames += 1
        judged = 0
        return .frame(range)
    }

    /// Whether more bytes than the `available` ones may lead to another verdict.
    @inline(__always)
    private func depends(_ verdict: FrameVerdict, _ available: Int) -> Bool {
        switch verdict {
        case .frame(let length): length > available - Self.lookahead
        case .needMore: true
        case .reject: false
        }
    }

    /// The stream has ended: what is left can never become a frame.
    public mutating func finish() -> FrameStep? {
        let left = buffer.count - head
        if left > 0 {
            if skipped == 0 { fault = .incomplete }
            skipped += left
            skippedBytes += left
        }
        buffer = []
        head = 0
        known = 0
        judged = 0
        return skipped > 0 ? gap() : nil
    }

    /// Whether `buffer` still uses the storage of this array.
    @inline(__always)
    func reads(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { old in buffer.withUnsafeBufferPointer { old.baseAddress == $0.baseAddress } }
    }

    /// How many bytes wait for the rest of their frame.
    public var waiting: Int { buffer.count - head }

    /// Drops all waiting bytes, e.g. after the protocol lost its state, and returns their number.
    public mutating func discard() -> Int {
        let left = takeWaiting().count
        skippedBytes += left
        return left
    }

    /// Takes the bytes that are in no frame yet, whole frames that were not asked for among them.
    mutating func takeWaiting() -> [UInt8] {
        let waiting = Array(buffer[head...]) + (isJoint ? pending[(buffer.count - rest)...] : [])
        buffer = []
        pending = []
        head = 0
        known = 0
        judged = 0
        isJoint = false
        return waiting
    }

    private mutating func gap() -> FrameStep {
        defer { skipped = 0 }
        return .skipped(skipped, fault)
    }

    private mutating func skip(_ fault: FrameFault) {
        if skipped == 0 { self.fault = fault }
        known = 0
        var next = head + 1
        if fault == .tooLong { next = head + min(Format.passedOver, buffer.count - head) }
        if let start = Format.startByte {
            next = buffer.span.firstOffset(of: start, from: next) ?? buffer.count
            // Beyond the copied part of a joint buffer the chunk itself goes on.
            if isJoint { next = min(next, max(rest, head + 1)) }
        }
        skipped += next - head
        skippedBytes += next - head
        head = next
    }

    private mutating func settle() {
        buffer = head == 0 ? buffer : head == buffer.count ? [] : Array(buffer[head...])
        head = 0
        if buffer.isEmpty { known = 0 }
    }
}

/// The whole frames in some bytes, in their order: what `cuff identify` counts and `cuff decode --explain` shows.
public struct FoundFrames: Sendable, Equatable {
    /// Where they are in the bytes; they do not overlap.
    public var ranges: [Range<Int>]
    /// How many there are.
    public var frames: Int { ranges.count }
    /// How many bytes they cover.
    public var bytes: Int { ranges.reduce(0) { $0 + $1.count } }

    /// Frames at these places.
    public init(_ ranges: [Range<Int>] = []) { self.ranges = ranges }
}

extension FrameReader {
    /// The whole frames in `bytes` that `accepts` takes for frames of the family.
    public static func find(_ format: Format, in bytes: [UInt8], where accepts: (Span<UInt8>) -> Bool = { _ in true }) -> FoundFrames {
        var reader = FrameReader(format)
        var found = FoundFrames()
        reader.feed(bytes)
        // All bytes are one chunk, so that ranges of the reader's buffer are ranges of `bytes`.
        while let step = reader.next() {
            if case .frame(let range) = step, accepts(reader.buffer.span.extracting(range)) { found.ranges.append(range) }
        }
        return found
    }
}

/// What each byte of a recording means to its driver. The driver itself is asked: a byte of a frame is changed, the check of the frame is
/// repaired, and the frame is decoded again. The values that differ are the values that the byte carries. No second description of a
/// family's layout exists that could disagree with the decoder.
package struct Explanation: Sendable {
    /// What consecutive bytes are.
    package enum Meaning: Sendable, Hashable {
        /// They carry these values, e.g. `systolic 122 mmHg`.
        case values([String])
        /// With other values there is no such frame: start, kind, length, number of records, a second copy.
        case structure
        case check
        /// The same is decoded whatever they are.
        case notKnown
        /// They belong to no frame.
        case noFrame
        /// The host wrote them.
        case fromHost
        /// The frame is so long that its other bytes were not tried.
        case notTried
    }

    /// Consecutive bytes of one side with one meaning.
    package struct Field: Sendable, Hashable {
        package var isFromCuff: Bool
        /// The place of the first byte among all bytes of its side.
        package var offset: Int
        package var bytes: [UInt8]
        package var meaning: Meaning
    }

    /// A part of an item that lies in one frame, or outside of frames.
    struct Piece {
        var item: CaptureItem
        /// The number of the frame; `nil` for bytes outside of frames and for items that are no bytes of the cuff.
        var frame: Int?

        var bytes: [UInt8] { if case .fromCuff(let bytes) = item.content { bytes } else { [] } }
    }

    /// `nil` for HID, whose reports are messages and stay whole.
    let findFrames: (@Sendable ([UInt8]) -> FoundFrames)?
    let repair: (@Sendable ([UInt8], [UInt8]) -> [UInt8]?)?
    let pieces: [Piece]
    /// The checks that were found and not found, by the length of the frame.
    var checks: [Int: CheckPlace?] = [:]
    /// Bytes that may be decoded for one frame before its rest is left untried.
    let effort: Int
    private var replay: Replay

    /// All bytes of `items`, each in exactly one field. `hasBothSides` is false for bytes of the cuff alone. `effort` limits how many bytes
    /// are decoded for one frame; a frame of 300 bytes needs about a million.
    package static func fields(
        of items: [CaptureItem], driver: CuffDriver, options: [String: String] = [:], hasBothSides: Bool = true, effort: Int = 16_000_000
    ) -> [Field] {
        var explanation = Explanation(items, driver, effort, Replay(LinkState.Setup(driver, options: options), looksAhead: hasBothSides))
        return explanation.fields()
    }

    private init(_ items: [CaptureItem], _ driver: CuffDriver, _ effort: Int, _ replay: Replay) {
        findFrames = driver.medium == .hidraw ? nil : driver.findFrames
        self.effort = effort
        repair = driver.repair
        self.replay = replay
        pieces = Self.pieces(of: items, findFrames)
    }

    /// Cuts the items at the borders of frames. Where a family has none, all bytes between two writes of the host are one.
    private static func pieces(of items: [CaptureItem], _ findFrames: (([UInt8]) -> FoundFrames)?) -> [Piece] {
        guard let findFrames else {
            var exchange = 0
            return items.map { item in
                if case .fromCuff = item.content { return Piece(item: item, frame: exchange) }
                exchange += 1
                return Piece(item: item)
            }
        }
        let parts = items.compactMap { item -> [UInt8]? in if case .fromCuff(let bytes) = item.content { bytes } else { nil } }
        var frames = findFrames(Array(parts.joined())).ranges
        if frames.isEmpty {
            // Of a family whose frames only silence ends.
            var start = 0
            for part in parts {
                frames += findFrames(part).ranges.map { $0.lowerBound + start..<$0.upperBound + start }
                start += part.count
            }
        }
        var pieces: [Piece] = []
        var (next, offset) = (0, 0)
        for item in items {
            guard case .fromCuff(let bytes) = item.content else {
                pieces.append(Piece(item: item))
                continue
            }
            let end = offset + bytes.count
            let start = offset
            while offset < end {
                while next < frames.count, frames[next].upperBound <= offset { next += 1 }
                let isInside = next < frames.count && frames[next].lowerBound <= offset
                let border = isInside ? frames[next].upperBound : next < frames.count ? frames[next].lowerBound : end
                let part = Array(bytes[(offset - start)..<(min(border, end) - start)])
                pieces.append(Piece(item: CaptureItem(time: item.time, .fromCuff(part)), frame: isInside ? next : nil))
                offset = min(border, end)
            }
        }
        return pieces
    }

    private mutating func fields() -> [Field] {
        var fields: [Field] = []
        var offsets = (cuff: 0, host: 0)
        var index = 0
        func add(_ isFromCuff: Bool, _ bytes: [UInt8], _ meaning: Meaning) {
            guard !bytes.isEmpty else { return }
            let offset = isFromCuff ? offsets.cuff : offsets.host
            if isFromCuff { offsets.cuff += bytes.count } else { offsets.host += bytes.count }
            if let last = fields.last, last.isFromCuff == isFromCuff, last.meaning == meaning, isFromCuff {
                fields[fields.count - 1].bytes += bytes
            } else {
                fields.append(Field(isFromCuff: isFromCuff, offset: offset, bytes: bytes, meaning: meaning))
            }
        }
        while index < pieces.count {
            var last = index
            var meanings: [Meaning] = []
            if let frame = pieces[index].frame {
                last = pieces[index...].lastIndex { $0.frame == frame } ?? index
                meanings = self.meanings(of: index...last, behind: replay)
            }
            for piece in pieces[index...last] {
                if case .toCuff(let bytes) = piece.item.content { add(false, bytes, .fromHost) }
                for byte in piece.bytes {
                    // Bytes between the pieces of a frame belong to none.
                    let isInFrame = piece.frame != nil && !meanings.isEmpty
                    add(true, [byte], isInFrame ? meanings.removeFirst() : .noFrame)
                }
                replay.play(piece.item)
                replay.flush()
                replay.effects.removeAll(keepingCapacity: true)
            }
            index = last + 1
        }
        return fields
    }
}

/// Where the check of a frame is, counted from the frame's end, how it is written, and how it follows a change of another byte.
struct CheckPlace: Sendable, Hashable {
    enum Form: Sendable, CaseIterable { case byte, upperHex, lowerHex }
    enum Rule: Sendable, CaseIterable {
        case xor, sum, negativeSum
        /// Every value is tried: a CRC.
        case search
    }

    /// 0 for the last byte; of two digits the place of the second.
    var fromEnd: Int
    var form: Form
    var rule: Rule

    private var width: Int { form == .byte ? 1 : 2 }

    /// The bytes of the check in a frame so long.
    func range(in count: Int) -> Range<Int> { count - fromEnd - width..<count - fromEnd }

    /// The frame with the checks that may belong to it after it was changed from `original`.
    func repairs(of changed: [UInt8], from original: [UInt8]) -> [[UInt8]] {
        let range = range(in: changed.count)
        let text = original.span
        guard range.lowerBound >= 0, let old = form == .byte ? Int(original[range.lowerBound]) : text.hexDigits(range.lowerBound, 2)
        else { return [] }
        let sum = zip(changed, original).reduce(0) { $0 + Int($1.0) - Int($1.1) }
        let values: [Int] =
            switch rule {
            case .xor: [old ^ zip(changed, original).reduce(0) { $0 ^ Int($1.0 ^ $1.1) }]
            case .sum: [old + sum]
            case .negativeSum: [old - sum]
            case .search: Array(0..<256)
            }
        return values.map { value in
            let value = UInt8(truncatingIfNeeded: value)
            var bytes = changed
            switch form {
            case .byte: bytes[range.lowerBound] = value
            case .upperHex: bytes.replaceSubrange(range, with: Hex.upper(value))
            case .lowerHex: bytes.replaceSubrange(range, with: Hex.upper(value).map { $0 >= 0x41 ? $0 | 0x20 : $0 })
            }
            return bytes
        }
    }
}

extension Explanation {
    /// Recorded items that are played behind a frame without a value, to find the value to which it contributes.
    private static let mostBehind = 12

    /// The values tried for a byte: one more, one less, and each bit changed alone.
    private static func others(than byte: UInt8) -> [UInt8] {
        [byte &+ 1, byte &- 1] + (0..<8).map { byte ^ 1 << $0 }
    }

    /// A byte that carries a value has another one among so many of them.
    private static let mostInVain = 4

    /// The meaning of every byte of the frame that these pieces hold, in their order.
    mutating func meanings(of range: ClosedRange<Int>, behind replay: Replay) -> [Meaning] {
        let bytes = pieces[range].flatMap { $0.frame == nil ? [] : $0.bytes }
        let (before, end) = decoded(bytes, in: range, through: nil, behind: replay)
        let place = checkPlace(bytes, range, before, end, replay)
        var left = effort
        var meanings = [Meaning](repeating: .notTried, count: bytes.count)
        /// Tries whole blocks first: of a long frame the driver looks at few bytes.
        func examine(_ block: Range<Int>) {
            guard left > 0, !block.isEmpty else { return }
            let isOne = block.count == 1
            var values: Set<String> = []
            var hasOther = false
            var isCheck = false
            var (tried, inVain) = (0, 0)
            for pattern in isOne ? Self.others(than: bytes[block.lowerBound]).map({ $0 ^ bytes[block.lowerBound] }) : [0x01, 0x06] {
                var changed = bytes
                for index in block { changed[index] ^= pattern }
                left -= bytes.count
                if let repair, repair(changed, bytes) == bytes {
                    isCheck = true
                    continue
                }
                switch difference(changed, bytes, place, in: range, from: before, end, behind: replay) {
                case .none: break
                case .values(let names): values.formUnion(names)
                case .other:
                    hasOther = true
                    inVain += 1
                }
                tried += 1
                if tried == Self.mostInVain, inVain == tried { break }
                if !isOne, isCheck || hasOther || !values.isEmpty { break }
            }
            if isOne, isCheck {
                meanings[block.lowerBound] = .check
            } else if !isCheck, !hasOther, values.isEmpty {
                for index in block { meanings[index] = .notKnown }
            } else if isOne {
                meanings[block.lowerBound] = values.isEmpty ? .structure : .values(before.texts(of: values))
            } else {
                let middle = block.lowerBound + block.count / 2
                examine(block.lowerBound..<middle)
                examine(middle..<block.upperBound)
            }
        }
        let check = place?.range(in: bytes.count) ?? bytes.count..<bytes.count
        for index in check { meanings[index] = .check }
        examine(0..<check.lowerBound)
        examine(check.upperBound..<bytes.count)
        return meanings
    }

    /// What is decoded of the pieces with these bytes in the frame, and of as many behind them as it takes to find a value, or up to the
    /// piece `through`; and which piece was the last.
    private func decoded(
        _ bytes: [UInt8], in range: ClosedRange<Int>, through end: Int?, behind replay: Replay
    ) -> (ExplainedFacts, Int) {
        var replay = replay
        var facts = ExplainedFacts()
        var rest = bytes[...]
        for index in range {
            let piece = pieces[index]
            guard piece.frame != nil else {
                replay.play(piece.item)
                continue
            }
            // A frame may become longer by its escapes.
            let part = index == range.upperBound ? rest : rest.prefix(piece.bytes.count)
            replay.play(CaptureItem(time: piece.item.time, .fromCuff(Array(part))))
            rest = rest.dropFirst(part.count)
        }
        facts.take(&replay)
        var last = range.upperBound
        while last < (end ?? range.upperBound + Self.mostBehind), end != nil || !facts.hasValue {
            last += 1
            if last < pieces.count {
                replay.play(pieces[last].item)
            } else {
                replay.end()
            }
            facts.take(&replay)
            if last >= pieces.count { break }
        }
        return (facts, last)
    }

    /// What is decoded differently with these bytes in the frame, its check repaired.
    private func difference(
        _ changed: [UInt8], _ original: [UInt8], _ place: CheckPlace?, in range: ClosedRange<Int>, from before: ExplainedFacts, _ end: Int,
        behind replay: Replay
    ) -> ExplainedFacts.Difference {
        let candidates =
            repair.map { [$0(changed, original) ?? changed] } ?? place.map { $0.repairs(of: changed, from: original) } ?? [changed]
        // Families without frames to judge: the repaired one is tried.
        let isWhole = findFrames != nil && isFrame(changed)
        guard let repaired = isWhole ? changed : candidates.first(where: isFrame) else { return .other }
        return before.difference(from: decoded(repaired, in: range, through: end, behind: replay).0)
    }

    /// Whether these bytes are one frame; families without frames to judge take any.
    private func isFrame(_ bytes: [UInt8]) -> Bool { findFrames.map { $0(bytes).ranges == [bytes.indices] } ?? true }

    // MARK: The check

    /// Where the check of a frame so long is; found once for each length.
    private mutating func checkPlace(
        _ bytes: [UInt8], _ range: ClosedRange<Int>, _ before: ExplainedFacts, _ end: Int, _ replay: Replay
    ) -> CheckPlace? {
        if let known = checks[bytes.count] { return known }
        if repair != nil || findFrames == nil && !before.hasValue { return nil }
        let found =
            findFrames == nil
            ? soughtByValues(bytes) { before.difference(from: decoded($0, in: range, through: end, behind: replay).0) }
            : soughtByFrames(bytes)
        checks[bytes.count] = .some(found)
        return found
    }

    /// Fewer changes may suit a rule that is not the frame's: where one bit is set, its exclusive or and its sum agree.
    private static let fewestRepairs = 3
    /// Bytes from the beginning that are changed if rules still agree.
    private static let mostTried = 32

    /// A byte is changed until a change of one of the last four makes the frame whole again. The rule that repairs most of the changes is
    /// the frame's. Rules that agree, as sum and exclusive or of zeros do, are distinguished by changes of another byte.
    private func soughtByFrames(_ bytes: [UInt8]) -> CheckPlace? {
        var places = (0..<max(0, min(4, bytes.count - 1))).flatMap { fromEnd in
            CheckPlace.Form.allCases.flatMap { form in
                CheckPlace.Rule.allCases.map { CheckPlace(fromEnd: fromEnd, form: form, rule: $0) }
            }
        }
        var isFound = false
        let middle = bytes.count / 2
        let first = [middle, middle + 1, bytes.count / 3, 2 * bytes.count / 3, bytes.count - 4]
        for (number, index) in (first + bytes.indices.prefix(Self.mostTried)).enumerated() where bytes.indices.contains(index) {
            if number >= first.count, !isFound { break }
            let changes = Self.others(than: bytes[index]).map { other in
                var changed = bytes
                changed[index] = other
                return changed
            }
            guard !isFrame(changes[0]) else { continue }
            let counted = places.map { ($0, repairs(of: changes, at: index, from: bytes, $0)) }
            guard let most = counted.map(\.1).max(), most > 0 else { continue }
            isFound = true
            places = counted.filter { $0.1 == most }.map(\.0)
            if places.count == 1 { break }
        }
        return isFound ? places.first : nil
    }

    /// How many of the changes of a byte this check repairs; 0 if too few.
    private func repairs(of changes: [[UInt8]], at index: Int, from bytes: [UInt8], _ place: CheckPlace) -> Int {
        guard !place.range(in: bytes.count).contains(index) else { return 0 }
        let tried = changes.prefix(place.rule == .search ? 1 : changes.count)
        let repairs = tried.count { place.repairs(of: $0, from: bytes).contains(where: isFrame) }
        return repairs >= (place.rule == .search ? 1 : Self.fewestRepairs) ? repairs : 0
    }

    /// The same where only the values that are decoded show that the frame is whole: reports of HID devices, with bytes behind the check.
    private func soughtByValues(_ bytes: [UInt8], _ difference: ([UInt8]) -> ExplainedFacts.Difference) -> CheckPlace? {
        for index in bytes.indices.reversed() {
            var changed = bytes
            changed[index] ^= 1
            switch difference(changed) {
            case .none: continue
            case .values: return nil
            case .other: break
            }
            for fromEnd in 0..<bytes.count - 1 - index {
                for rule in CheckPlace.Rule.allCases where rule != .search {
                    let place = CheckPlace(fromEnd: fromEnd, form: .byte, rule: rule)
                    if place.repairs(of: changed, from: bytes).contains(where: { if case .values = difference($0) { true } else { false } })
                    {
                        return place
                    }
                }
            }
        }
        return nil
    }
}

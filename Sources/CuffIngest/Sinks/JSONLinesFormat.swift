import CLinux
import CuffCore
import Glibc

extension SinkKind {
    /// JSON Lines appended to a file.
    public static let jsonl = SinkKind(
        "jsonl", help: "the same lines appended to a file; `-` is standard output", example: "jsonl:bp.jsonl",
        durability: .onRegularFiles,
        parse: { (kind, operand) throws(IngestError) in operand == "-" ? .stdout : try file(kind, operand) },
        latest: { path in
            let line = LineFile.lastLine(of: path).map { String(decoding: $0, as: UTF8.self) }
            return line?.split(separator: "\"id\":\"").dropFirst().first.map { String($0.prefix(KnownReadings.Key.idLength)) }
        }
    ) { (spec, context) throws(IngestError) in
        try JSONLinesSink(path: spec.path, line: context.line) { context.onFault(spec.name, $0) }
    }
}

/// The same lines as on standard output.
typealias JSONLinesSink = FileSink<JSONLinesFormat>

extension FileSink<JSONLinesFormat> {
    convenience init(
        path: String, line: ReadingLine, onFault: @escaping @Sendable (IngestError) -> Void = { _ in }
    ) throws(IngestError) {
        try self.init(path: path, format: JSONLinesFormat(line: line), onFault: onFault)
    }
}

struct JSONLinesFormat: LineFormat {
    let line: ReadingLine
    var scheme: String { "jsonl" }
    var takesLiveEvents: Bool { true }
    var refusal: String { "it contains lines that this program did not write" }
    var lineEnd: [UInt8] { [0x0A] }

    func appendHeader(to text: inout TextBuffer) {}

    func append(_ entry: borrowing BatchEntry, device: String, to text: inout TextBuffer) {
        line.append(copy entry, device: device, to: &text)
    }

    func kind(of line: UnsafeRawBufferPointer, isFirst: Bool, isWhole: Bool) -> LineKind {
        let isOwn = begins(line)
        if isOwn && JSONReader.isObject(line) { return .own(Self.key(of: line)) }
        return isOwn || line.contains(0) || salvage(line) != nil ? .damaged : .foreign
    }

    /// `{"type":"blood_pressure","schema":1`; a pending reading has `"of"` in between.
    func begins(_ line: UnsafeRawBufferPointer) -> Bool {
        guard var rest = Self.behind(Self.opening, line).flatMap(Self.behindWord) else { return false }
        if let of = Self.behind(",\"of\":\"", rest) {
            guard let behind = Self.behindWord(of) else { return false }
            rest = behind
        }
        guard let number = Self.behind(",\"schema\":", rest)?.first else { return false }
        return number &- 0x31 < 9
    }

    private static let opening: StaticString = "{\"type\":\""

    private static func behind(_ text: StaticString, _ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let count = text.utf8CodeUnitCount
        guard line.count >= count, let base = line.baseAddress, memcmp(base, text.utf8Start, count) == 0 else { return nil }
        return UnsafeRawBufferPointer(rebasing: line[count...])
    }

    private static func behindWord(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let count = line.prefix { $0 &- 0x61 < 26 || $0 == 0x5F || $0 &- 0x30 < 10 }.count
        guard count > 0, count < line.count, line[count] == 0x22 else { return nil }
        return UnsafeRawBufferPointer(rebasing: line[(count + 1)...])
    }

    func mayBegin(_ line: UnsafeRawBufferPointer) -> Bool {
        let opening = UnsafeRawBufferPointer(start: Self.opening.utf8Start, count: Self.opening.utf8CodeUnitCount)
        guard line.starts(with: opening) else { return opening.starts(with: line) }
        let rest = line.dropFirst(opening.count).drop { $0 &- 0x61 < 26 || $0 == 0x5F || $0 &- 0x30 < 10 }
        return "\",\"schema\":".utf8.starts(with: rest) || "\",\"of\":\"".utf8.starts(with: rest.prefix(8))
    }

    func salvage(_ line: UnsafeRawBufferPointer) -> Int? {
        var found: Int?
        var start = 1
        while let behind = Self.offset(after: Self.opening, in: line, from: start) {
            let place = behind - Self.opening.utf8CodeUnitCount
            let rest = UnsafeRawBufferPointer(rebasing: line[place...])
            if begins(rest) && JSONReader.isObject(rest) { found = place }
            start = behind
        }
        return found
    }

    /// The key of a line of this program; `nil` for a live event.
    static func key(of line: UnsafeRawBufferPointer) -> KnownReadings.Key? {
        guard let start = offset(after: "\"id\":\"", in: line, from: 0), start + KnownReadings.Key.idLength < line.count,
            let id = Reading.ID.parse(
                UnsafeRawBufferPointer(rebasing: line[start..<start + KnownReadings.Key.idLength]).bindMemory(to: UInt8.self).span)
        else { return nil }
        var revision = 0
        if let start = offset(after: "\"revision\":", in: line, from: start) {
            var index = start
            while index < line.count, index < start + 3, line[index] &- 0x30 < 10 {
                revision = revision * 10 + Int(line[index] - 0x30)
                index += 1
            }
        }
        let isPending = offset(after: "{\"type\":\"pending\"", in: line, from: 0) != nil
        return KnownReadings.Key(id, revision: UInt8(truncatingIfNeeded: revision), isPending: isPending)
    }

    private static func offset(after word: StaticString, in line: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = line.baseAddress, start < line.count else { return nil }
        guard
            let found = clinux_find(
                base + start, UInt(line.count - start), word.utf8Start, UInt(word.utf8CodeUnitCount))
        else { return nil }
        return UnsafeRawPointer(found) - base + word.utf8CodeUnitCount
    }
}

import CuffClinical
import CuffCore
import Glibc

/// A file to import: opened once, read as often as its layout needs. Pipes such as standard input, and databases in archives, are first
/// copied to a temporary file.
final class ImportInput {
    /// A part of the file with a layout: the whole, or a member of an archive.
    struct Part {
        var importer: Importer
        var content: Content
        /// The first bytes, for recognition.
        var head: [UInt8]
    }
    enum Content {
        case bytes
        case member(ZipDirectory.Member)
        /// A database at this path, perhaps a temporary file.
        case database(path: String, TemporaryFile?)
    }

    let name: String
    private let path: String
    private let descriptor: Int32
    private let size: Int
    private var copy: TemporaryFile?
    /// Why a member of an archive cannot be read; others may still be.
    private(set) var damage: IngestError?
    /// A limit for pipes.
    static let longestInput = 8 << 30
    private static let chunk = 1 << 18

    init(_ path: String) throws(IngestError) {
        self.path = path
        name = path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path
        if path == "-" {
            let copy = try TemporaryFile()
            (descriptor, self.copy) = (copy.descriptor, copy)
            size = try Self.spool(STDIN_FILENO, name, to: copy)
        } else {
            let file = try Descriptor.forReading(path)
            if Descriptor.kind(file) == .regular {
                (descriptor, size) = (file, Descriptor.size(file) ?? 0)
            } else {
                defer { close(file) }
                guard Descriptor.kind(file) != .directory else { throw .reading(path, EISDIR) }
                let copy = try TemporaryFile()
                (descriptor, self.copy) = (copy.descriptor, copy)
                size = try Self.spool(file, path, to: copy)
            }
        }
        guard size > 0 else { throw IngestError(ImportRunFault.empty(name)) }
    }

    deinit { if copy == nil { close(descriptor) } }

    private static func spool(_ input: Int32, _ name: String, to copy: TemporaryFile) throws(IngestError) -> Int {
        var total = 0
        while true {
            do throws(SystemFault) {
                let bytes = try Descriptor.chunk(input, chunk)
                if bytes.isEmpty { return total }
                total += bytes.count
                try Descriptor.writeAll(copy.descriptor, bytes)
            } catch { throw .reading(name, error.number) }
            guard total <= longestInput else { throw IngestError(ImportRunFault.inputTooLong(name, limit: longestInput)) }
        }
    }

    private func bytes(_ offset: Int, _ count: Int) throws(IngestError) -> [UInt8] {
        var number: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
            while filled < count {
                let got = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
                if got < 0 && errno == EINTR { continue }
                if got < 0 { number = errno }
                guard got > 0 else { return }
                filled += got
            }
        }
        if number != 0 { throw .reading(path, number) }
        return bytes
    }

    func failed(_ fault: ImportFault) -> IngestError { IngestError(ImportRunFault.file(name, fault)) }

    // MARK: Layouts

    /// The readable parts of the file. `chosen` is the layout that the user named.
    func parts(_ options: ImportOptions, chosen: Importer?) throws(IngestError) -> [Part] {
        let head = try bytes(0, min(size, Importer.headLength))
        if let chosen, case .bytes = chosen.form, !head.starts(with: [0x50, 0x4B, 3, 4]) {
            return [Part(importer: chosen, content: .bytes, head: head)]
        }
        let parts = try recognised(head, options, chosen).filter { chosen == nil || $0.importer.name == chosen?.name }
        guard !parts.isEmpty else { throw failed(.badOption("it is not of the layout \(chosen?.name ?? "")")) }
        return parts
    }

    private func recognised(_ head: [UInt8], _ options: ImportOptions, _ chosen: Importer?) throws(IngestError) -> [Part] {
        if head.starts(with: Array("SQLite format 3\u{0}".utf8)) {
            var status = stat()
            if stat("\(path)-wal", &status) == 0, status.st_size > 0 { throw IngestError(ImportRunFault.openLog(path)) }
            return [try database(copy?.path ?? path, copy)]
        }
        if head.starts(with: [0x50, 0x4B, 3, 4]) { return try members(options, chosen) }
        guard let importer = Importer.recognised(head, options) else { throw failed(.unknownLayout(firstLine: Self.firstLine(head))) }
        if case .unsupported(let missing) = importer.form { throw failed(.unsupported(layout: importer.help, missing: missing)) }
        return [Part(importer: importer, content: .bytes, head: head)]
    }

    /// The first line of a text, cut to a width that a message can show; empty for other data.
    private static func firstLine(_ head: [UInt8]) -> String {
        let line = TextStream(head).head.drop { $0 == 0x0A }.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(160)
        guard !line.contains(where: { $0 < 0x20 && $0 != 0x09 }) else { return "" }
        return String(decoding: line, as: UTF8.self)
    }

    private func members(_ options: ImportOptions, _ chosen: Importer?) throws(IngestError) -> [Part] {
        let start = max(0, size - ZipDirectory.longestEnd)
        // Separate variables: the compiler fails on a span of the result of a throwing call.
        let end = try bytes(start, size - start)
        guard var place = ZipDirectory.place(inEnd: end.span) else { throw failed(.damaged("no directory at the end")) }
        if place.isZIP64 {
            let record = try bytes(Int(clamping: place.offset), 56)
            guard let wide = ZipDirectory.place(inRecord: record.span) else {
                throw failed(.damaged("no directory at the end"))
            }
            place = wide
        }
        guard place.size <= ZipDirectory.longestDirectory, place.offset < size else { throw failed(.damaged("its directory")) }
        let directory = try bytes(Int(place.offset), Int(place.size))
        guard let members = ZipDirectory.members(directory.span) else { throw failed(.damaged("its directory")) }
        var parts: [Part] = []
        var unsupported: ImportFault?
        // Recognised by content: Apple translates the names of its files.
        for member in members where member.size > 0 && !member.path.hasSuffix("/") {
            let head = head(of: member)
            if head.starts(with: Array("SQLite format 3\u{0}".utf8)) {
                let file = try TemporaryFile()
                do throws(IngestError) {
                    do throws(ImportFault) {
                        try unpack(member) { (span) throws(ImportFault) in try file.write(span) }
                    } catch { throw failed(error) }
                    parts.append(try database(file.path, file))
                } catch {
                    // Archives may contain databases of other kinds.
                    if case .file(_, .unknownLayout)? = error.fault as? ImportRunFault { continue }
                    damage = error
                }
            } else if let importer = Importer.recognised(head, options, among: chosen.map { [$0] } ?? Importer.all) {
                guard case .unsupported(let missing) = importer.form else {
                    parts.append(Part(importer: importer, content: .member(member), head: head))
                    continue
                }
                unsupported = .unsupported(layout: importer.help, missing: missing)
            }
        }
        guard parts.isEmpty else { return parts }
        if members.contains(where: { $0.path == "[Content_Types].xml" }) {
            throw failed(.unsupported(layout: "Excel file", missing: "Excel files are not read; save the table as CSV"))
        }
        throw unsupported.map(failed) ?? damage ?? IngestError(ImportRunFault.emptyArchive(name, members: members.count))
    }

    private func head(of member: ZipDirectory.Member) -> [UInt8] {
        var head: [UInt8] = []
        // Only the beginning is unpacked; later damage is found when the member is read.
        do throws(ImportFault) {
            var reader = try ZipMemberReader(member)
            let count = min(Int(clamping: member.compressedSize), Importer.headLength)
            let bytes = try offsetBytes(member, 0, count)
            let isEnd = bytes.count == Int(clamping: member.compressedSize)
            try reader.read(bytes.span, isEnd: isEnd) { (span) throws(ImportFault) in
                head += span.part(0, Importer.headLength - head.count)
            }
        } catch { damage = failed(error) }
        return head
    }

    private func offsetBytes(_ member: ZipDirectory.Member, _ offset: Int, _ count: Int) throws(ImportFault) -> [UInt8] {
        do throws(IngestError) {
            let place = Int(clamping: min(member.offset, UInt64(size)))
            let start = try bytes(place, 30)
            guard let header = ZipDirectory.headerLength(start.span) else {
                throw failed(.damaged("no member where its directory says"))
            }
            return try bytes(place + header + offset, count)
        } catch { throw .damaged(error.description) }
    }

    private func unpack(_ member: ZipDirectory.Member, _ take: (Span<UInt8>) throws(ImportFault) -> Void) throws(ImportFault) {
        var reader = try ZipMemberReader(member)
        var offset = 0
        let total = Int(clamping: member.compressedSize)
        repeat {
            let bytes = try offsetBytes(member, offset, min(Self.chunk, total - offset))
            guard !bytes.isEmpty || total == 0 else { throw .damaged("\(member.path) is cut off") }
            offset += bytes.count
            try reader.read(bytes.span, isEnd: offset == total, take)
        } while offset < total
    }

    // MARK: Reading

    /// Passes on the readings of a part, in pieces. `progress` gets the completed fraction of all passes, 0…1.
    func read(
        _ part: Part, _ options: ImportOptions, progress: (Double) -> Void, _ take: (ImportOutput) throws(IngestError) -> Void
    ) throws(IngestError) {
        var options = options
        // A layout with the user in the name of the file: that of the member, not of the archive.
        if case .member(let member) = part.content {
            options.fileName = member.path.split(separator: "/").last.map(String.init) ?? member.path
        }
        var output = ImportOutput()
        var taken: IngestError?
        func hand(_ output: inout ImportOutput) throws(ImportFault) {
            guard !output.readings.isEmpty || !output.complaints.isEmpty || !output.unused.isEmpty else { return }
            do throws(IngestError) { try take(output) } catch {
                taken = error
                throw .damaged("")
            }
            output = ImportOutput()
        }
        do throws(ImportFault) {
            switch (part.importer.form, part.content) {
            case (.database(let database), .database(let path, _)): try readRows(database, path, hand)
            case (.bytes, _):
                guard var reader = try part.importer.reader(options, head: part.head) else { throw .damaged("its layout") }
                // A reader of one pass gives readings before the checksum at the end of a member is known.
                if case .member = part.content, reader.passes == 1 { try feed(part) { _ throws(ImportFault) in } }
                var done = 0
                let total = max(1, size * reader.passes)
                for _ in 0..<reader.passes {
                    try feed(part) { (span) throws(ImportFault) in
                        try reader.read(span, &output)
                        done += span.count
                        progress(min(1, Double(done) / Double(total)))
                        try hand(&output)
                    }
                    try reader.endPass(&output)
                    try hand(&output)
                }
            default: throw .damaged("its layout")
            }
        } catch {
            // Readings before the damage are kept.
            if taken == nil { do throws(ImportFault) { try hand(&output) } catch {} }
            throw taken ?? failed(error)
        }
    }

    private func feed(_ part: Part, _ take: (Span<UInt8>) throws(ImportFault) -> Void) throws(ImportFault) {
        if case .member(let member) = part.content { return try unpack(member, take) }
        var offset = 0
        while offset < size {
            let chunk: [UInt8]
            do throws(IngestError) { chunk = try bytes(offset, min(Self.chunk, size - offset)) } catch { throw .damaged(error.description) }
            if chunk.isEmpty { return }
            offset += chunk.count
            try take(chunk.span)
        }
    }
}

import CuffCore
import Glibc

/// The result of reading a whole file, before it is changed.
struct LineFileFindings {
    var own = 0
    var damaged = 0
    var hasHeader = false
    /// The file begins with a torn or zeroed line that only this program begins so.
    var beginsAsOwn = false
    var holdsOnlyZeros = true
    /// The end of the last line feed.
    var whole = 0
    var tail: Tail = .none

    enum Tail { case none, complete, torn }

    /// Whether this program wrote the file. Only zeros are what a power failure leaves of a first write.
    var isOwn: Bool { own > 0 || hasHeader || beginsAsOwn || holdsOnlyZeros }
}

extension LineFile {
    /// A raw record of the largest APDU (64 KiB) is 128 KiB of hex; this program writes no lines above 1 MiB.
    private static let longestLine = 1 << 20

    /// Reads the file, passes on the key of every reading and repairs the file: a torn last line is cut off, a complete one gets
    /// its line end, damaged lines before it are removed. A file of another program is refused unchanged. Returns the number of
    /// removed lines.
    func recover<Format: LineFormat>(
        _ format: Format, _ visit: (KnownReadings.Key) throws(IngestError) -> Void
    ) throws(IngestError) -> Int {
        guard isRegular else { return 0 }
        // The file was emptied, and part of a batch could not be rolled back then.
        rollBack()
        accept(Descriptor.size(descriptor) ?? 0)
        guard size > 0 else { return 0 }
        let found = try examine(format, visit)
        guard found.isOwn else { throw foreign(format) }
        if found.damaged > 0 {
            try rewrite(format, found)
        } else if found.tail == .torn {
            try cut(to: found.whole)
        } else if found.tail == .complete {
            try complete(format)
        }
        accept(Descriptor.size(descriptor) ?? 0)
        return found.damaged
    }

    private func foreign(_ format: some LineFormat) -> IngestError {
        IngestError(SinkFault.foreignFile(path, why: format.refusal))
    }

    private func examine<Format: LineFormat>(
        _ format: Format, _ visit: (KnownReadings.Key) throws(IngestError) -> Void
    ) throws(IngestError) -> LineFileFindings {
        var found = LineFileFindings()
        var isFirst = true
        try eachLine(format) { (line, isWhole) throws(IngestError) in
            defer { isFirst = false }
            if isFirst { found.beginsAsOwn = (!isWhole || line.contains(0)) && format.begins(line) }
            if found.holdsOnlyZeros { found.holdsOnlyZeros = !isWhole && line.allSatisfy { $0 == 0 } }
            switch format.kind(of: line, isFirst: isFirst, isWhole: isWhole) {
            case .header: found.hasHeader = true
            case .own(let key):
                found.own += 1
                if let key { try visit(key) }
            case .added: guard found.hasHeader else { throw foreign(format) }
            case .damaged:
                let rest = format.salvage(line).map { UnsafeRawBufferPointer(rebasing: line[$0...]) }
                if let rest, case .own(let key?) = format.kind(of: rest, isFirst: false, isWhole: isWhole) {
                    found.own += 1
                    try visit(key)
                }
                if isWhole || rest != nil { found.damaged += 1 } else { found.tail = .torn }
            case .foreign:
                // Too short to identify: torn, if it follows lines of this program.
                guard !isWhole, found.own > 0 || found.hasHeader, format.mayBegin(line) else { throw foreign(format) }
                found.tail = .torn
            }
            if isWhole { found.whole += line.count + 1 } else if found.tail == .none { found.tail = .complete }
        }
        return found
    }

    /// Adds the missing line end of a complete last line.
    private func complete(_ format: some LineFormat) throws(IngestError) {
        var last: UInt8 = 0
        _ = pread(descriptor, &last, 1, off_t(size - 1))
        var text = TextBuffer(capacity: 8)
        text.append(bytes: (last == 0x0D ? [0x0A] : format.lineEnd).span)
        try text.withBytes { (bytes) throws(IngestError) in try append(bytes) }
        try synchronise()
    }

    // MARK: Another file in its place

    /// Damage in the middle cannot be cut off: the intact lines are written to a new file, which replaces this one once it is on
    /// disk.
    private func rewrite(_ format: some LineFormat, _ found: LineFileFindings) throws(IngestError) {
        let part = "\(path).\(getpid()).part"
        unlink(part)
        let other: Int32
        do throws(SystemFault) { other = try Descriptor.open(part, O_RDWR | O_CREAT | O_EXCL | O_APPEND) } catch {
            throw .writing(path, error.number)
        }
        do throws(IngestError) {
            try copyWhole(format, found, to: other)
            var status = stat()
            fstat(descriptor, &status)
            _ = fchown(other, status.st_uid, status.st_gid)
            fchmod(other, status.st_mode & 0o777)
            do throws(SystemFault) {
                try Descriptor.synchronise(other)
                guard flock(other, LOCK_EX | LOCK_NB) == 0 else { throw SystemFault("flock") }
                guard FileIdentity.change(of: descriptor, path, size: size) == nil else { throw SystemFault("rename", EAGAIN) }
                guard rename(part, path) == 0 else { throw SystemFault("rename") }
                try Descriptor.synchroniseFolder(of: path)
            } catch { throw .writing(path, error.number) }
        } catch {
            unlink(part)
            Glibc.close(other)
            throw error
        }
        replace(by: other)
    }

    private func copyWhole<Format: LineFormat>(_ format: Format, _ found: LineFileFindings, to other: Int32) throws(IngestError) {
        var text = TextBuffer(capacity: 1 << 17)
        if !found.hasHeader { format.appendHeader(to: &text) }
        var fault: SystemFault?
        func flush() {
            do throws(SystemFault) {
                try text.withBytes { (bytes) throws(SystemFault) in try Descriptor.writeAll(other, bytes) }
            } catch { fault = fault ?? error }
            text.removeAll()
        }
        var isFirst = true
        try eachLine(format) { (line, isWhole) throws(IngestError) in
            var line = line
            let kind = format.kind(of: line, isFirst: isFirst, isWhole: isWhole)
            isFirst = false
            if kind == .foreign { return }
            if kind == .damaged {
                guard let start = format.salvage(line) else { return }
                line = UnsafeRawBufferPointer(rebasing: line[start...])
            }
            text.append(bytes: line.bindMemory(to: UInt8.self).span)
            if isWhole { text.append(0x0A) } else { text.append(bytes: (line.last == 0x0D ? [0x0A] : format.lineEnd).span) }
            if text.count >= 1 << 16 { flush() }
        }
        flush()
        if let fault { throw .writing(path, fault.number) }
    }

    // MARK: Lines

    /// Passes on every line without its line feed, and finally what follows the last one.
    private func eachLine(
        _ format: some LineFormat, _ visit: (_ line: UnsafeRawBufferPointer, _ isWhole: Bool) throws(IngestError) -> Void
    ) throws(IngestError) {
        var room = 1 << 18
        var buffer = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
        defer { buffer.deallocate() }
        var filled = 0
        var offset = 0
        while true {
            let count = pread(descriptor, buffer + filled, room - filled, off_t(offset))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .reading(path, errno) }
            if count == 0 { break }
            offset += count
            filled += count
            var start = 0
            while start < filled, let end = memchr(buffer + start, 0x0A, filled - start) {
                let length = end - (buffer + start)
                try visit(UnsafeRawBufferPointer(start: buffer + start, count: length), true)
                start += length + 1
            }
            memmove(buffer, buffer + start, filled - start)
            filled -= start
            if filled == room {
                guard filled < Self.longestLine else { throw foreign(format) }
                let larger = UnsafeMutableRawPointer.allocate(byteCount: room * 2, alignment: 16)
                larger.copyMemory(from: buffer, byteCount: room)
                buffer.deallocate()
                buffer = larger
                room *= 2
            }
        }
        if filled > 0 { try visit(UnsafeRawBufferPointer(start: buffer, count: filled), false) }
    }
}

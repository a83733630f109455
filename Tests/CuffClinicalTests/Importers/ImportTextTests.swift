import CuffClinical
import CuffCore
import Foundation
import Testing

/// Each sample as other systems save it: line ends, encodings, Excel's first line, quoted cells.
struct ImportTextTests {
    enum Form: String, CaseIterable {
        case lf, crlf, cr, crlfAtFirst, bom, utf16Little, utf16Big, separatorLine, bomAndSeparatorLine
    }

    static func text(_ name: String) throws -> String {
        let bytes = try ImportSampleTests.bytes(name)
        return String(decoding: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...], as: UTF8.self)
            .replacingOccurrences(of: "\r\n", with: "\n")
    }

    static func isTable(_ name: String) -> Bool { name.hasSuffix(".csv") || name == "withings_data.zip" }

    static func bytes(_ text: String, _ form: Form) -> [UInt8] {
        let wide = [0xFEFF] + text.utf16
        switch form {
        case .lf: return Array(text.utf8)
        case .crlf: return Array(text.replacingOccurrences(of: "\n", with: "\r\n").utf8)
        case .cr: return Array(text.replacingOccurrences(of: "\n", with: "\r").utf8)
        // A CR without its LF at first, as damage leaves it.
        case .crlfAtFirst:
            let lines = text.components(separatedBy: "\n")
            return Array((lines[0] + "\r" + lines.dropFirst().joined(separator: "\r\n")).utf8)
        case .bom: return [0xEF, 0xBB, 0xBF] + text.utf8
        case .utf16Little: return wide.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        case .utf16Big: return wide.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        case .separatorLine: return Array("sep=;\r\n\(text)".utf8)
        case .bomAndSeparatorLine: return [0xEF, 0xBB, 0xBF] + "sep=,\n\(text)".utf8
        }
    }

    @Test(arguments: ImportSampleTests.names, Form.allCases) func sample_IsReadInEveryForm(_ name: String, _ form: Form) throws {
        let isWithSeparator = form == .separatorLine || form == .bomAndSeparatorLine
        guard Self.isTable(name) || !isWithSeparator else { return }
        let options = try ImportSampleTests.options(name)
        let bytes = Self.bytes(try Self.text(name), form)
        let whole = ImportFixture(try ImportSampleTests.bytes(name), options)
        #expect(!whole.readings.isEmpty)
        for chunk in [1, 5, 4096] {
            let read = ImportFixture(bytes, options, chunk: chunk)
            #expect(read.fault == nil && read.importer?.name == whole.importer?.name && read.lines == whole.lines)
            #expect(read.complaints.map(\.reason) == whole.complaints.map(\.reason) && read.unused == whole.unused)
            #expect(read.readings.map(\.place.number) == whole.readings.map { $0.place.number + (isWithSeparator ? 1 : 0) })
        }
    }

    @Test(arguments: ImportSampleTests.names.filter(ImportTextTests.isTable)) func quotedCells_MayHoldLineEndsAndSeparators(_ name: String)
        throws
    {
        // OBPM quotes nothing.
        guard name != "obpm.csv" else { return }
        let options = try ImportSampleTests.options(name)
        let plain = try Self.text(name)
        let whole = ImportFixture(plain, options)
        for note in Set(whole.lines.compactMap { $0["note"] }) {
            guard let place = plain.range(of: note), plain.ranges(of: note).count == 1 else { continue }
            let isQuoted = plain[..<place.lowerBound].hasSuffix("\"")
            let mark = isQuoted ? "" : "\""
            let cell = "a,b;c\n\n\(note)\n\"\"=d\"\"\ttail"
            let read = ImportFixture(plain.replacingCharacters(in: place, with: mark + cell + mark), options, chunk: 3)
            // Remarks have no control characters.
            let text = "a,b;c  \(note) \"=d\" tail"
            let expected = whole.lines.map { $0["note"] == note ? $0.merging(["note": text]) { $1 } : $0 }
            #expect(read.lines == expected && read.fault == nil, "\(note)")
        }
    }

    @Test func windowsText_HasItsOwnMarks() {
        let text = Array("Date,Heart rate,Systolic,Diastolic,Comments\n2026-05-05 07:33:10,71,128,82,".utf8)
        let read = ImportFixture(text + [0x93, 0x41, 0x92, 0x94, 0x20, 0x80, 0x35, 0xFC, 0x0A])
        #expect(read.lines.map { $0["note"] } == ["“A’” €5ü"])
    }

    @Test func halfACharacter_IsNotANumber() {
        let text = "Date,Heart rate,Systolic,Diastolic,Comments\n2026-05-05 07:33:10,71,128,82"
        var wide = ([0xFEFF] + text.utf16).flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        #expect(ImportFixture(wide + Array(",\n".utf16).flatMap { [UInt8($0), 0] }).readings.count == 1)
        wide.removeLast()
        let cut = ImportFixture(wide)
        #expect(cut.readings.isEmpty && cut.complaints.count == 1 && cut.fault == .damaged("it ends within a character"))
    }
}

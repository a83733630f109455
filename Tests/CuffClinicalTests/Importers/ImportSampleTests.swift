import CuffClinical
import CuffCore
import Foundation
import Testing

/// Every shared sample gives its expected readings, however it is cut.
struct ImportSampleTests {
    static let names: [String] = {
        guard let folder = ImportFixture.folder, let all = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            return []
        }
        return all.filter { name in all.contains("\(name).expected.jsonl") && !name.hasSuffix(".db") && !name.hasSuffix(".sql") }.sorted()
    }()

    /// The mappings that the index of the samples names.
    static func options(_ name: String) throws -> ImportOptions {
        var options = ImportFixture.options(name)
        switch name {
        case "generic_12h_semicolon.csv":
            options.columns = try ColumnMapping("time=Datum+Zeit,sys=Oberer,dia=Unterer,pulse=Puls,note=Bemerkung")
            options.dates = DateOrder("%d/%m/%Y %I:%M %p")
        case "generic_kpa_comma.csv":
            options.columns = try ColumnMapping("time=tid,sys=sys_kpa,dia=dia_kpa,pulse=puls")
            options.unit = .kPa
        case "generic_slash_values.csv": options.columns = try ColumnMapping("time=When,bp=BP,pulse=HR")
        default: break
        }
        return options
    }

    /// The bytes of a sample; of an archive those of the first member that is recognised.
    static func bytes(_ name: String) throws -> [UInt8] {
        let url = try #require(ImportFixture.folder).appendingPathComponent(name)
        let bytes = [UInt8](try Data(contentsOf: url))
        guard bytes.starts(with: [0x50, 0x4B]) else { return bytes }
        for member in try members(bytes)
        where Importer.recognised(Array(member.prefix(Importer.headLength)), ImportFixture.options()) != nil {
            return member
        }
        return []
    }

    static func members(_ bytes: [UInt8]) throws -> [[UInt8]] {
        let end = ZipDirectory.place(inEnd: bytes.span)
        let place = try #require(end)
        let directory = bytes[Int(place.offset)..<Int(place.offset + place.size)]
        let members = ZipDirectory.members(Array(directory).span)
        return try #require(members).map { member in
            let length = ZipDirectory.headerLength(Array(bytes[Int(member.offset)...].prefix(30)).span)
            let header = try #require(length)
            let start = Int(member.offset) + header
            var reader = try ZipMemberReader(member)
            var data: [UInt8] = []
            // In pieces of seven bytes, so that every code is cut somewhere.
            let packed = Array(bytes[start..<start + Int(member.compressedSize)])
            var index = 0
            repeat {
                let end = min(index + 7, packed.count)
                try reader.read(packed.span.extracting(index..<end), isEnd: end == packed.count) { (span) throws(ImportFault) in
                    data += span.array
                }
                index = end
            } while index < packed.count
            return data
        }
    }

    @Test(arguments: names) func sample_GivesItsReadings(_ name: String) throws {
        let expected = try ImportFixture.expected(#require(ImportFixture.folder).appendingPathComponent("\(name).expected.jsonl"))
        let bytes = try Self.bytes(name)
        let read = ImportFixture(bytes, try Self.options(name))
        #expect(read.fault == nil)
        #expect(read.lines == expected.readings)
        #expect(read.complaints.map(\.place.number) == expected.skipped, "\(read.complaints)")
        for chunk in [1, 2, 3, 7, 61] {
            let cut = ImportFixture(bytes, try Self.options(name), chunk: chunk)
            #expect(cut.readings == read.readings && cut.complaints == read.complaints && cut.fault == nil)
        }
    }

    @Test(arguments: names) func sample_IsRecognisedByOneLayoutAlone(_ name: String) throws {
        guard !name.hasPrefix("generic") else { return }
        let head = Array(try Self.bytes(name).prefix(Importer.headLength))
        let plain = head.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(head.dropFirst(3)) : head
        #expect(Importer.all.filter { $0.recognise(plain) }.count == 1)
    }

    @Test(arguments: names) func sample_GivesTheSameIDsTwice(_ name: String) throws {
        let (first, second) = (
            ImportFixture(try Self.bytes(name), try Self.options(name)), ImportFixture(try Self.bytes(name), try Self.options(name))
        )
        let importer = try #require(first.importer)
        let ids = { (read: ImportFixture, zone: ZoneTable) in
            read.readings.map { $0.reading(of: importer, received: Timestamp(milliseconds: 1_800_000_000_000), zone: zone).id }
        }
        // Ids do not depend on the zone of the machine.
        let there = ZoneTable(name: "there", first: 7200, changes: [])
        #expect(ids(first, .utc) == ids(second, there))
        #expect(Set(ids(first, .utc)).count == first.readings.count)
    }
}

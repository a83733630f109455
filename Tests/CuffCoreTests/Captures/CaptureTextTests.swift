import CuffCore
import Testing

@Suite struct CaptureTextTests {
    private static func read(_ text: String, chunk: Int = .max) throws -> (CaptureHeader, [CaptureItem]) {
        var reader = CaptureTextReader()
        var items: [CaptureItem] = []
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = chunk == .max ? bytes.count : min(start + chunk, bytes.count)
            try reader.read(Array(bytes[start..<end]), into: &items)
            start = end
        }
        try reader.finish(into: &items)
        return (reader.header, items)
    }

    private static func fault(_ text: String) -> CaptureFault? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error as? CaptureFault
        }
    }

    private static let sample = """
        # driver: and-std
        # cuff:   A&D TM-2655P
        # a comment without a key

        0.5 > 16 16 01
        [1.25] < 30300 2ff
        2 < AA bb
        # later: this is no header
        = 128 82 71
        3.000001 ! unplugged
        < 00
        """

    @Test func lines_BecomeItems() throws {
        let (header, items) = try Self.read(Self.sample)
        #expect(
            items == [
                CaptureItem(time: 500_000, .toCuff([0x16, 0x16, 0x01])),
                CaptureItem(time: 1_250_000, .fromCuff([0x30, 0x30, 0x02, 0xFF])),
                CaptureItem(time: 2_000_000, .fromCuff([0xAA, 0xBB])),
                CaptureItem(time: 3_000_001, .event(.unplugged)),
                CaptureItem(.fromCuff([0x00])),
            ])
        #expect(header.fields.map(\.key) == ["driver", "cuff"])
        #expect(header["driver"] == "and-std")
        #expect(header["cuff"] == "A&D TM-2655P")
        #expect(header["later"] == nil)
    }

    @Test func chunksAndLineEnds_ChangeNothing() throws {
        let whole = try Self.read(Self.sample)
        let windows = Self.sample.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        for text in [Self.sample, Self.sample + "\n", windows, windows + "\r\n"] {
            for chunk in 1...40 {
                let (header, items) = try Self.read(text, chunk: chunk)
                #expect(items == whole.1, "chunks of \(chunk)")
                #expect(header == whole.0)
            }
        }
    }

    @Test(arguments: [
        ("< 1", "the line ends within a byte"), ("< 16 1g", "`g` is not a hexadecimal digit"),
        ("1.5", "a time stands alone"), ("[1.5 < 16", "the time's bracket is not closed"),
        ("[] < 16", "there is no time in the brackets"), ("hello", "a line begins with"),
        ("1.5.5 < 16", "a line begins with"),
        ("16 16 01", "a line begins with"), ("9999999999999 < 16", "the time is too large"),
        ("-1 < 16", "a line begins with"),
    ])
    func brokenLine_IsNamedByItsNumber(_ line: String, _ reason: String) throws {
        for (before, number) in [("", 1), ("# driver: x\n\n< 00\n", 4), ("\r\n\r\n", 3)] {
            for after in ["", "\n< 00\n"] {
                let fault = try #require(Self.fault(before + line + after))
                #expect(fault.line == number)
                #expect(fault.reason.contains(reason), "\(fault.reason)")
            }
        }
    }

    /// As some editors write it; only at the beginning of a file.
    @Test(arguments: [1, .max]) func byteOrderMark_IsSkipped(_ chunk: Int) throws {
        let found = try Self.read("\u{FEFF}" + Self.sample, chunk: chunk)
        let own = try Self.read(Self.sample)
        #expect(found.0 == own.0 && found.1 == own.1)
        #expect(try Self.read("\u{FEFF}< 31\n", chunk: chunk).1 == Self.read("< 31\n").1)
        #expect(try Self.read("\u{FEFF}", chunk: chunk).1.isEmpty)
        #expect(Self.fault("< 31\n\u{FEFF}< 32\n")?.line == 2)
    }

    @Test func whatCameBeforeABrokenLine_IsKept() {
        var reader = CaptureTextReader()
        var items: [CaptureItem] = []
        #expect(throws: CaptureFault.self) { try reader.read(Array("< 01\n< 02\n? 03\n< 04\n".utf8), into: &items) }
        #expect(items == [CaptureItem(.fromCuff([1])), CaptureItem(.fromCuff([2]))])
    }

    @Test func endlessLine_IsRefused() {
        var reader = CaptureTextReader()
        var items: [CaptureItem] = []
        let chunk = Array(repeating: UInt8(ascii: "0"), count: 1 << 16)
        var fault: CaptureFault?
        var fed = 0
        while fault == nil, fed < 1 << 22 {
            do { try reader.read(chunk, into: &items) } catch { fault = error }
            fed += chunk.count
        }
        #expect(fault?.line == 1)
        #expect(fed <= CaptureTextReader.maximumLine + chunk.count)
    }

    @Test func unprintableHeader_BecomesPrintable() throws {
        let (header, _) = try Self.read("# cuff: a\u{1B}[31mb\n< 00\n")
        #expect(header["cuff"] == "a?[31mb")
    }

    @Test func writing_RoundTrips() throws {
        let items = [
            CaptureItem(time: 0, .toCuff([0x05])), CaptureItem(time: 1, .fromCuff(Array(0...255))),
            CaptureItem(time: 12_345_678_901, .event(.framingError)), CaptureItem(.fromCuff([0xFF])),
            CaptureItem(.event(CaptureEvent("plugged in again"))),
        ]
        var header = CaptureHeader()
        header.fields = [("driver", "r1"), ("line", "9600 8N1")]
        var text = TextBuffer()
        CaptureText.appendHeader(header, to: &text)
        for item in items { CaptureText.append(item, to: &text) }
        #expect(text.string.hasPrefix("# driver: r1\n# line: 9600 8N1\n0.000000 > 05\n0.000001 < 00 01 "))
        let (readHeader, readItems) = try Self.read(text.string)
        #expect(readItems == items)
        #expect(readHeader == header)
    }

    @Test(arguments: CaptureFile.own)
    func ownCaptures_RoundTrip(_ file: CaptureFile) throws {
        var text = TextBuffer()
        CaptureText.appendHeader(file.header, to: &text)
        for item in file.items { CaptureText.append(item, to: &text) }
        let (header, items) = try Self.read(text.string, chunk: 7)
        #expect(items == file.items)
        #expect(header == file.header)
    }

    @Test func anyBytes_NeverCrash() {
        var random = SplitMix64(seed: 17)
        let alphabet = Array("0123456789abcdef <>!#[].=\n\r\t:xyz\u{FF}".utf8)
        var faults = 0
        for _ in 0..<2000 {
            let text = (0..<Int(random.next() % 60)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
            var reader = CaptureTextReader()
            var items: [CaptureItem] = []
            do {
                try reader.read(text, into: &items)
                try reader.finish(into: &items)
            } catch {
                faults += 1
                #expect(error.line >= 1 && error.line <= text.count(where: { $0 == 0x0A }) + 1)
            }
        }
        #expect(faults > 0)
    }

    /// The array of an item may be reused, unless it is still referenced.
    @Test func forEach_HandsOutTheSameItems_AndLeavesKeptOnesAlone() throws {
        let items = (0..<40).map { index in
            let bytes = [UInt8](repeating: UInt8(index), count: index % 5 == 0 ? 3 : 2)
            let content: CaptureItem.Content = index % 3 == 0 ? .toCuff(bytes) : index % 7 == 0 ? .event(.parityError) : .fromCuff(bytes)
            return CaptureItem(time: Int64(index), content)
        }
        var text = TextBuffer()
        for item in items { CaptureText.append(item, to: &text) }
        for var reader: any CaptureReader in [CaptureTextReader(), PcapngReader()] {
            reader.feed(reader is PcapngReader ? PcapngTests.write(items) : Array(text.string.utf8))
            var kept: [CaptureItem] = []
            var count = 0
            try reader.forEach { item in
                if count % 2 == 0 { kept.append(item) }
                count += 1
                return count < 30
            }
            #expect(count == 30)
            #expect(kept == stride(from: 0, to: 30, by: 2).map { items[$0] })
            var rest: [CaptureItem] = []
            try reader.read([], into: &rest)
            #expect(rest == Array(items[30...]))
        }
    }
}

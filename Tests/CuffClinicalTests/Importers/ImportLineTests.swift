import CuffClinical
import CuffCore
import Testing

/// JSON Lines of which one is broken: the others are read.
@Suite struct ImportLineTests {
    private static func line(_ number: Int) -> String {
        """
        {"type":"blood_pressure","schema":1,"id":"20260505T07310\(number)-9f0c61d2a4b7e3f0","driver":"and-std","systolic_mmHg":13\(number),\
        "diastolic_mmHg":82,"metadata":{"serial":"1"},"flags":["averaged"],"measured":"2026-05-05T07:31:0\(number)+02:00"}
        """
    }

    private func read(_ text: String, chunk: Int = 4096) -> ImportFixture {
        ImportFixture(text, importer: Importer.all.first { $0.name == "cuff-jsonl" }, chunk: chunk)
    }

    private func systolics(_ read: ImportFixture) -> [String?] { read.lines.map { $0["systolic_mmHg"] } }

    @Test func lineThatEndsWithinItsRecord_LosesOnlyItself() {
        for length in 1..<Self.line(2).utf8.count {
            let torn = String(Self.line(2).prefix(length))
            for (lines, broken) in [
                ([torn, Self.line(1), Self.line(3), Self.line(4)], 1), ([Self.line(1), Self.line(3), torn, Self.line(4)], 3),
            ] {
                let read = self.read(lines.joined(separator: "\n") + "\n", chunk: 1 + length % 50)
                #expect(systolics(read) == ["131", "133", "134"], "\(torn)")
                #expect(read.complaints.map(\.place) == [ImportPlace(.record, broken)], "\(torn) \(read.complaints)")
                #expect(read.fault == nil && read.complaints.map(\.reason.isLoss) == [true], "\(torn)")
            }
        }
    }

    @Test func severalTornLines_AreEachReported() {
        let torn = ["{\"a\":", "{\"metadata\":{\"a\":\"b", "{\"flags\":["]
        let read = self.read((torn + [Self.line(1)] + torn + [Self.line(2), ""]).joined(separator: "\n"))
        #expect(systolics(read) == ["131", "132"] && read.fault == nil)
        #expect(read.complaints.map(\.place.number) == [1, 2, 3, 5, 6, 7])
    }

    @Test(arguments: [
        "not json", "say \"it", "\0\0", "}", "\"type\":1}", "{\"flags\":[1}", "{\"flags\":{\"a\":1]}",
        String(repeating: "{\"a\":", count: 200),
    ])
    func textThatIsNoRecord_IsReported(_ text: String) {
        for text in [text, "  \(text)  \r"] {
            let read = self.read("\(Self.line(1))\n\(text)\n\(Self.line(2))\n")
            #expect(systolics(read) == ["131", "132"] && read.fault == nil)
            #expect(read.complaints.map(\.place.number) == [2])
            #expect(read.complaints.map(\.reason.isLoss) == [true])
        }
        #expect(systolics(self.read("\(text)\n\(Self.line(2))\n")) == ["132"])
    }

    @Test func textBesideARecord_IsReported() {
        for text in ["\(Self.line(1)) x \(Self.line(2))", "\(Self.line(1))}\n\(Self.line(2))", "\(Self.line(1))\0\(Self.line(2))"] {
            let read = self.read(text)
            #expect(systolics(read) == ["131", "132"] && read.complaints.map(\.place.number) == [2])
        }
    }

    @Test func everyFormOfJSON_IsReadWhole() {
        let lines = (1...4).map(Self.line)
        func spread(_ line: String, _ mark: String, _ indent: String) -> String { line.replacing(mark, with: "\(mark)\n\(indent)") }
        let wide = lines.map { spread(spread($0, ",", "  "), ":{", "") }
        let unindented = lines.map { $0.replacing("{", with: "\n{\n").replacing("}", with: "\n}\n") }
        for values in [lines, wide, unindented] {
            for text in [
                values.joined(separator: "\n"), values.joined(), values.joined(separator: "\r\n\r\n"), values.joined(separator: "\u{1E}"),
                "[\(values.joined(separator: ","))]", "[\n\(values.joined(separator: ",\n"))\n]\n", values.joined(separator: ",\n"),
            ] {
                let read = self.read(text, chunk: 7)
                #expect(systolics(read) == ["131", "132", "133", "134"], "\(text)")
                #expect(read.complaints.isEmpty && read.fault == nil, "\(text)")
            }
        }
    }

    @Test func elementOfAList_LosesOnlyItself() {
        let read = self.read("[\n\(Self.line(1)),\n\(Self.line(2).prefix(90))\n\(Self.line(3)),\n\(Self.line(4))\n]\n")
        #expect(systolics(read) == ["131", "133", "134"] && read.complaints.map(\.place.number) == [2] && read.fault == nil)
    }

    /// Behind it nothing is known to be a record.
    @Test func recordWithoutAnEnd_IsReported() {
        for text in ["{\"a\":[1}", "{\"a\":1"] {
            let read = self.read("\(Self.line(1))\n\(text)")
            #expect(systolics(read) == ["131"] && read.fault != nil)
        }
    }
}

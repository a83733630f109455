import CuffCore
import Foundation
import Testing

@Suite struct ExplanationTests {
    private func lines(_ items: [CaptureItem], _ driver: CuffDriver) -> [String] {
        Explanation.fields(of: items, driver: driver).map { field in
            let meaning =
                switch field.meaning {
                case .values(let values): values.joined(separator: "; ")
                default: "\(field.meaning)"
                }
            return "\(field.isFromCuff ? "<" : ">") \(field.offset) \(Hex.text(field.bytes)) \(meaning)"
        }
    }

    /// The documented layout of the fictional cuff: start, length, command and index, then user, pressures, pulse, date, and the sum.
    @Test func everyByteOfARecord_HasItsValue() {
        let items = [
            CaptureItem(.toCuff([0xA5, 0x04, 0x01, 0xAA])), CaptureItem(.fromCuff([0xA5, 0x05, 0x01, 0x01, 0xAC])),
            CaptureItem(.toCuff([0xA5, 0x05, 0x02, 0x00, 0xAC])),
            CaptureItem(.fromCuff([0xA5, 0x0E, 0x02, 0x00, 0x02, 0x79, 0x4E, 0x47, 0x1A, 0x05, 0x06, 0x07, 0x1F, 0x0D + 0xA5])),
        ]
        var record: [UInt8] = [0xA5, 0x0E, 0x02, 0x00, 0x02, 0x79, 0x4E, 0x47, 0x1A, 0x05, 0x06, 0x07, 0x1F]
        record.append(UInt8(truncatingIfNeeded: record.reduce(0) { $0 + Int($1) }))
        let whole = items.dropLast() + [CaptureItem(.fromCuff(record + [0x77]))]
        #expect(
            lines(Array(whole), .template) == [
                "> 0 a5 04 01 aa fromHost", "< 0 a5 05 01 structure", "< 3 01 notKnown", "< 4 ac check", "> 4 a5 05 02 00 ac fromHost",
                "< 5 a5 0e 02 00 structure", "< 9 02 user 2", "< 10 79 systolic 121 mmHg", "< 11 4e diastolic 78 mmHg",
                "< 12 47 pulse 71 /min", "< 13 1a 05 06 07 1f time 2026-05-06T07:31", "< 18 \(Hex.text([record[13]])) check",
                "< 19 77 noFrame",
            ])
    }

    @Test(arguments: CaptureFile.own) func everyByteOfEveryCapture_IsExplainedOnce_AndNumbersAgree(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let fields = Explanation.fields(of: file.items, driver: driver, effort: 200_000)
        for isFromCuff in [true, false] {
            let recorded = file.items.flatMap { item -> [UInt8] in
                switch item.content {
                case .fromCuff(let bytes): isFromCuff ? bytes : []
                case .toCuff(let bytes): isFromCuff ? [] : bytes
                case .event: []
                }
            }
            var explained: [UInt8] = []
            for field in fields where field.isFromCuff == isFromCuff {
                #expect(field.offset == explained.count && !field.bytes.isEmpty)
                explained += field.bytes
            }
            #expect(explained == recorded)
        }
        let values = Set(fields.flatMap { field -> [String] in if case .values(let values) = field.meaning { values } else { [] } })
        for line in file.expected ?? [] {
            let reading = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            guard reading["type"] as? String == "blood_pressure" else { continue }
            for (name, key) in [("systolic", "systolic_mmHg"), ("diastolic", "diastolic_mmHg"), ("mean", "mean_mmHg")] {
                guard let number = (reading[key] as? NSNumber)?.doubleValue, number == number.rounded() else { continue }
                #expect(values.contains("\(name) \(Int(number)) mmHg"), "\(name) \(number) of \(values.sorted())")
            }
        }
    }
}

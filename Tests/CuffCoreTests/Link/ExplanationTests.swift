import CuffCore
import Foundation
import TestSupport
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

    private static let captures = Effort.isExhaustive ? CaptureFile.own : smallest

    /// Of each family the smallest capture with a reading.
    private static let smallest: [CaptureFile] = {
        let families = Dictionary(grouping: CaptureFile.own.filter { $0.expected?.isEmpty == false }) { $0.header["driver"] ?? "" }
        return families.values.compactMap { $0.min { size($0) < size($1) } }
    }()

    private static func size(_ file: CaptureFile) -> Int {
        file.items.reduce(0) { sum, item in if case .fromCuff(let bytes) = item.content { sum + bytes.count } else { sum } }
    }

    /// In other captures a value may have no byte of its own: it is believed only if it comes twice, its record ends in the next answer,
    /// or only silence ends its message.
    private static let fullyExplained = Set(smallest.map(\.url)).filter { file in
        !["dinamap-ascii/bad-check-then-good", "omron-eeprom/a-slot-without-a-pressure"].contains { file.path.contains($0) }
    }

    /// Every byte is in one field, and its values are those of the readings; in the smallest capture every number has a byte.
    @Test(arguments: captures) func everyByteIsExplainedOnce_WithValuesOfTheReadings(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let fields = Explanation.fields(of: file.items, driver: driver, effort: Effort.choose(1_000_000, exhaustive: 16_000_000))
        Self.expectEveryByteOnce(fields, file)
        let readings = try (file.expected ?? []).map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
        let values = Set(fields.flatMap { field -> [String] in if case .values(let values) = field.meaning { values } else { [] } })
        try Self.expectValuesOfReadings(values, readings)
        let isWhole = !fields.contains { $0.meaning == .notTried }
        guard isWhole, Self.fullyExplained.contains(file.url) else { return }
        for reading in readings where reading["type"] as? String == "blood_pressure" {
            Self.expectNumbersExplained(of: reading, by: values)
        }
    }

    private static func expectEveryByteOnce(_ fields: [Explanation.Field], _ file: CaptureFile) {
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
    }

    /// What a byte is said to carry is a value of an expected reading.
    private static func expectValuesOfReadings(_ values: Set<String>, _ readings: [[String: Any]]) throws {
        for (name, key) in [("systolic", "systolic_mmHg"), ("diastolic", "diastolic_mmHg"), ("mean", "mean_mmHg")] {
            let expected = readings.compactMap { ($0[key] as? NSNumber)?.doubleValue }
            for value in values where value.hasPrefix(name + " ") && value.hasSuffix(" mmHg") {
                let number = try #require(Double(value.dropFirst(name.count + 1).dropLast(5)))
                #expect(expected.contains(number), "\(value) of \(expected)")
            }
        }
    }

    private static func expectNumbersExplained(of reading: [String: Any], by values: Set<String>) {
        let keys = [
            ("systolic", "systolic_mmHg", "systolic_kPa"), ("diastolic", "diastolic_mmHg", "diastolic_kPa"),
            ("mean", "mean_mmHg", "mean_kPa"), ("pulse", "pulse_per_min", "pulse_per_min"),
        ]
        for (name, key, other) in keys {
            guard let number = (reading[other] ?? reading[key]) as? NSNumber else { continue }
            let isExplained = values.contains { text in
                text.hasPrefix(name + " ") && Double(text.dropFirst(name.count + 1).prefix { $0 != " " }) == number.doubleValue
            }
            #expect(isExplained, "\(name) \(number)")
        }
    }
}

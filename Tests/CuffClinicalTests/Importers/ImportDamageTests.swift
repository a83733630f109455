import CuffClinical
import CuffCore
import Foundation
import TestSupport
import Testing

/// Damaged files: no crash, no reading that the damaged text does not hold, every loss reported.
struct ImportDamageTests {
    struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 16 ^ state << 32
        }
    }

    private static func damaged(_ bytes: [UInt8], _ generator: inout Generator) -> [UInt8] {
        var bytes = bytes
        let place = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...20, using: &generator)))
        case 3: bytes.insert(UInt8.random(in: 0x20..<0x7F, using: &generator), at: place)
        default: bytes.removeLast(bytes.count - place)
        }
        return bytes
    }

    /// Whether the text contains the number as read: nothing is computed, joined or repaired.
    private static func stands(_ digits: Digits, in text: String) -> Bool {
        var plain = TextBuffer()
        plain.append(digits)
        // Decimal commas, and hexadecimal records of Contec.
        let hex = digits.exponent == 0 ? String(digits.mantissa, radix: 16) : "?"
        return text.contains(plain.string) || text.contains(plain.string.replacingOccurrences(of: ".", with: ","))
            || text.lowercased().contains(hex)
    }

    @Test(arguments: ImportSampleTests.names) func damage_NeverGivesAWrongNumberInSilence(_ name: String) throws {
        let bytes = try ImportSampleTests.bytes(name)
        let options = try ImportSampleTests.options(name)
        let whole = ImportFixture(bytes, options)
        let importer = try #require(whole.importer)
        let text = try ImportTextTests.text(name)
        let forms = [bytes, bytes, ImportTextTests.bytes(text, .cr), ImportTextTests.bytes(text, .utf16Little)]
        var generator = Generator(state: UInt64(bytes.count) &* 2_654_435_761)
        for round in 0..<Effort.choose(120, exhaustive: 20000) {
            let bytes = forms[round % forms.count]
            let broken = Self.damaged(bytes, &generator)
            let read = ImportFixture(broken, options, importer: importer, chunk: 1 + round % 97)
            let text = String(decoding: TextStream(broken).head, as: UTF8.self)
            for reading in read.readings where !whole.readings.contains(where: { Self.isSame($0, reading) }) {
                // A changed reading has only numbers of the damaged text, and is plausible.
                guard let pressure = reading.pressure else { continue }
                #expect(pressure.isPlausible)
                for digits in [pressure.systolic.digits, pressure.diastolic.digits, pressure.pulse?.digits] {
                    guard let digits else { continue }
                    #expect(Self.stands(digits, in: text), "\(name) round \(round): \(digits)")
                }
            }
            // A missing reading needs a complaint, a fault, or a changed reading in its place.
            let missing = whole.readings.filter { one in !read.readings.contains { Self.isSame($0, one) } }.count
            let changed = read.readings.filter { one in !whole.readings.contains { Self.isSame($0, one) } }.count
            // In a text cut after a whole line no loss is visible.
            if bytes.starts(with: broken), read.readings.elementsEqual(whole.readings.prefix(read.readings.count), by: Self.isSame) {
                continue
            }
            // The reason may take the place of another one of the same record.
            let known = whole.complaints.map(\.reason)
            let isReported = read.complaints.count > known.count || read.complaints.contains { !known.contains($0.reason) }
            #expect(
                missing <= changed || isReported || read.fault != nil || Self.losses(read) > Self.losses(whole),
                "\(name) round \(round): \(missing) missing, \(changed) changed, \(read.complaints)")
        }
    }

    private static func losses(_ read: ImportFixture) -> Int { read.complaints.count { $0.reason.isLoss } }

    /// Values and time, which are what a reading is; a note may change.
    private static func isSame(_ a: ImportedReading, _ b: ImportedReading) -> Bool {
        a.pressure?.systolic == b.pressure?.systolic && a.pressure?.diastolic == b.pressure?.diastolic && a.time == b.time
    }
}

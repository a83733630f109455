import Testing

@testable import CuffCore

/// Compares functions that judge many bytes at once with their plain forms.
@Suite struct WireTextTests {
    /// Printable characters, each unlike its neighbours.
    private static func letters(_ count: UInt8) -> [UInt8] { (0..<count).map { 0x20 + $0 &* 37 % 95 } }

    private func run(_ bytes: [UInt8], _ range: Range<Int>, _ extra: UInt8) -> (end: Int, xor: UInt8) {
        bytes.span.plainTextRun(range, allowing: extra)
    }

    @Test func everyByteAtEveryPlace_EndsTheRunWhereItShould() {
        let text = Self.letters(72)
        for place in text.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = text
                bytes[place] = byte
                let found = bytes.span.textRun(6..<72, allowing: 0x1E)
                let expected = run(bytes, 6..<72, 0x1E)
                #expect(found == expected, "byte \(byte) at \(place)")
            }
        }
    }

    @Test func everyLength_IsReadToItsEndAndNoFurther() {
        let text = Self.letters(72)
        for start in 0...20 {
            for end in start...72 {
                #expect(text.span.textRun(start..<end, allowing: 0x1E) == run(text, start..<end, 0x1E))
                // The range may reach beyond the bytes.
                #expect(Array(text[..<end]).span.textRun(start..<80, allowing: 0x1E) == run(text, start..<end, 0x1E))
            }
        }
    }

    @Test func everyByteAtEveryPlace_OfSixtyFour_IsJudgedAsOneByOne() {
        let text = Self.letters(64)
        for place in text.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = text
                bytes[place] = byte
                let found = bytes.span.textOf64(6..<62, allowing: 0x1E)
                #expect(found?.isText == (run(bytes, 6..<62, 0x1E).end == 62), "byte \(byte) at \(place)")
                #expect(found?.xor == bytes.reduce(0, ^))
            }
        }
        #expect(Array(text.dropLast()).span.textOf64(6..<62, allowing: 0x1E) == nil)
    }

    @Test func sixteenBytesOfHexadecimalText_AreReadWhole_OrNotAtAll() {
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: 0x9C + $0 * 0x37) }
        let text = Array("#".utf8) + bytes.flatMap { Array(" ".utf8) + Array(Hex.text([$0]).utf8) }
        for place in 1..<text.count {
            for byte in UInt8.min...UInt8.max {
                var other = text
                other[place] = byte
                let read = other.span.spacedHex(1).map { pair in
                    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? pair.0 : pair.1) >> (8 * ($0 % 8))) }
                }
                #expect(read == other.span.plainSpacedHex(1), "byte \(byte) at \(place)")
            }
        }
        #expect(text.span.spacedHex(2) == nil)
        #expect(text.span.spacedHex(-1) == nil)
    }

    @Test func plainHexadecimalText_IsReadAsItIsWritten() {
        let text = Array("# 9c 00 ff 7e 01 02 03 04 05 06 07 08 09 0a 0b 0C".utf8)
        #expect(text.span.plainSpacedHex(1) == [0x9C, 0, 0xFF, 0x7E, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
        #expect(text.span.plainSpacedHex(2) == nil)
        #expect(Array(text.dropLast()).span.plainSpacedHex(1) == nil)
    }

    @Test func theFirstOffset_IsFoundAtEveryPlace() {
        for length in [0, 1, 15, 16, 17, 40] {
            for place in 0..<max(1, length) {
                var bytes = [UInt8](repeating: 7, count: length)
                if place < length { bytes[place] = 9 }
                for start in [-1, 0, 1, place, place + 1, 16] {
                    #expect(bytes.span.firstOffset(of: 9, from: start) == bytes.span.plainFirstOffset(of: 9, from: start))
                }
                #expect(bytes.span.plainFirstOffset(of: 9) == (place < length ? place : nil))
            }
        }
    }

    @Test func threeCharacters_AreANumberWithBlanksOnTheLeft_OrNothing() {
        let characters: [UInt8] = [0x00, 0x10, 0x1F, 0x20, 0x21, 0x29, 0x2F, 0x30, 0x31, 0x39, 0x3A, 0x50, 0x80, 0xA0, 0xB0, 0xB5, 0xFF]
        for first in characters {
            for second in characters {
                for third in characters {
                    let text = [first, second, third]
                    let digits = text.drop { $0 == 0x20 }
                    let number = digits.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(String(decoding: digits, as: UTF8.self)) : nil
                    // With and without a character behind them.
                    #expect((text + [0x1E]).span.paddedDigits(0, 3) == number, "\(text)")
                    #expect(text.span.paddedDigits(0, 3) == number, "\(text)")
                }
            }
        }
    }

    @Test func digitsOfAWord_AreTheSameOneByOne() {
        for text in ["12345678", "00000000", "99999999", "1234567/", ":2345678", "123 5678", "05.60000"] {
            let bytes = Array(text.utf8) + [0x30]
            for length in 1...8 { #expect(bytes.span.joinedDigits(0, length) == bytes.span.digits(0, length), "\(length) of \(text)") }
            #expect(bytes.span.joinedDigits(2, 2) == nil)
        }
    }

    @Test func smallNumbers_ArePrintedAsTheyAre() {
        for number in Int64(-5)...1100 {
            var text = TextBuffer()
            text.append(decimal: number)
            #expect(text.string == String(number))
        }
    }

    @Test func theLatestTwoThousandHashes_AreKnown() {
        var recent = RecentHashes()
        var hashes: [UInt64] = []
        for number in 0..<20_000 {
            hashes.append(UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
            let isNew = recent.insert(hashes[number])
            #expect(isNew)
            for back in [1, 1000, 2047] where number >= back && number % 61 == 0 {
                let isNew = recent.insert(hashes[number - back])
                #expect(!isNew)
            }
        }
    }

    @Test func pairsOfDigits_AreFourNumbers_OrNothing() {
        for number in 0...99 {
            let pair = Array("\(number / 10)\(number % 10)".utf8)
            let date = [0x52] + pair + Array("0199".utf8) + pair
            #expect(date.span.digitPairs(1) ?? (-1, -1, -1, -1) == (number, 1, 99, number))
        }
        for place in 0..<8 {
            for byte in UInt8.min...UInt8.max where !(0x30...0x39).contains(byte) {
                var date = Array("26050507".utf8)
                date[place] = byte
                #expect(date.span.digitPairs(0) == nil, "byte \(byte) at \(place)")
            }
        }
        #expect(Array("2605050".utf8).span.digitPairs(0) == nil)
        #expect(Array("26050507".utf8).span.digitPairs(1) == nil)
        #expect(Array("26050507".utf8).span.digitPairs(-1) == nil)
    }

    @Test func hexadecimalDigits_AreThoseOfTheStandardLibrary() {
        var value: UInt64 = 0x0123_4567_89AB_CDEF
        for _ in 0..<200 {
            var text = TextBuffer()
            text.append(hex: value)
            let digits = String(value, radix: 16)
            #expect(text.string == String(repeating: "0", count: 16 - digits.count) + digits)
            value = value &* 0x9E37_79B9_7F4A_7C15 &+ 7
        }
    }

    @Test func everyByte_HasTwoDigits() {
        for value in UInt8.min...UInt8.max {
            var text = TextBuffer()
            text.append(DeviceTime(year: 2026, month: Int(value), day: 5))
            #expect(text.string == "2026-\(value % 100 / 10)\(value % 10)-05T00:00")
        }
    }

    /// Names of up to 64 bytes are copied by another path than longer ones.
    @Test(arguments: [1, 40, 41, 42, 43, 44, 45, 64, 200])
    func aDevicesName_StandsInItsLineWhole(_ length: Int) {
        let device = String((0..<length).map { Character(Unicode.Scalar(UInt8(0x41 + $0 % 26))) })
        let reading = Reading(.bloodPressure(.mmHg(128, 82)), driver: "and-std", origin: .push, raw: RawBytes([]))
        var text = TextBuffer()
        ReadingLine().append(reading, device: device, to: &text)
        #expect(
            text.string
                == #"{"type":"blood_pressure","schema":1,"id":"00000000T000000-0000000000000000","driver":"and-std","device":""#
                + device + #"","systolic_mmHg":128,"diastolic_mmHg":82,"origin":"push"}"# + "\n")
    }
}

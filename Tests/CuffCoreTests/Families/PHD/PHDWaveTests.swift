import Foundation
import Testing

@testable import CuffCore

/// Real-time sample arrays: samples as sent, with the mapping to values; inconsistent arrays are rejected.
@Suite struct PHDWaveTests {
    /// An ECG of lead I in mV: this many samples and bits, a sample each 5 ms (40 ticks), from -2 to 2 over 0 to 800.
    private static func object(
        count: UInt16 = 4, bits: UInt8 = 16, significant: UInt8 = 16, scale: PHDBytes.Attribute? = (0x096F, scale16), length: UInt16 = 8
    ) -> [UInt8] {
        PHDStandardConfiguration.object(PHDClass.realTimeArray, 1, count: scale == nil ? 5 : 6) {
            $0.attribute(PHDAttribute.type) { $0.append(PHDBytes.words(2, 257)) }
            $0.attribute(PHDAttribute.unitCode) { $0.append16(4274) }
            $0.attribute(0x096D) { $0.append(PHDBytes.words(count) + [bits, significant] + PHDBytes.words(0)) }
            $0.attribute(0x098D) { $0.append32(40) }
            if let scale { $0.attribute(scale.id) { $0.append(scale.bytes) } }
            $0.attribute(PHDAttribute.valueMap) { PHDStandardConfiguration.map([(0x0A48, length), (0x0990, 8)], into: &$0) }
        }
    }

    /// FLOAT -2 (00FFFFFE) and 2; samples 0 and 800.
    private static let scale16 = PHDBytes.words(0x00FF, 0xFFFE, 0, 2, 0, 800)

    private func waves(_ object: [UInt8], _ value: [UInt8]) -> [Waveform] {
        var manager = PHDBytes.manager([object])
        manager.play(.received(PHDBytes.fixed([(1, value + PHDBytes.stamp)])))
        #expect(manager.readings.isEmpty && manager.answers().last == "rors")
        return manager.actions.compactMap { if case .live(.waveform(let wave)) = $0 { wave } else { nil } }
    }

    @Test func samples_AreAsSent() throws {
        let wave = try #require(waves(Self.object(), PHDBytes.words(0, 400, 800, 401)).first)
        #expect(wave.samples == [0, 400, 800, 401] && wave.period == .milliseconds(5))
        #expect((wave.partition, wave.term, wave.unit) == (2, 257, 4274))
        #expect(wave.scale == Waveform.Scale(samples: 0...800, lower: Digits(-2), upper: Digits(2)))
        #expect(wave.clock.time?.minute == 10)
    }

    /// An octet string has its length before it, which only some maps include.
    @Test func lengthBeforeTheSamples_IsNoSample() {
        let value: [UInt8] = PHDBytes.words(8, 1, 2, 3, 4)
        #expect(waves(Self.object(length: 10), value).map(\.samples) == [[1, 2, 3, 4]])
    }

    @Test func signsAndSignificantBits() {
        let signed = Self.object(significant: 255, scale: nil)
        #expect(waves(signed, PHDBytes.words(0xFFFF, 0x8000, 5, 0)).map(\.samples) == [[-1, -32768, 5, 0]])
        // Twelve bits count; the others are marks.
        #expect(waves(Self.object(significant: 12, scale: nil), PHDBytes.words(0xF123, 1, 2, 3)).map(\.samples) == [[0x123, 1, 2, 3]])
        let bytes = Self.object(bits: 8, significant: 255, scale: (0x0971, PHDBytes.words(0, 0, 0, 100) + [0x80, 0x7F]), length: 4)
        let wave = waves(bytes, [0x80, 0xFF, 0, 0x7F]).first
        #expect(wave?.samples == [-128, -1, 0, 127] && wave?.scale?.samples == -128...127)
    }

    @Test func longArrays_ComeInPieces() {
        let pieces = waves(Self.object(count: 150, scale: nil, length: 300), (0..<150).flatMap { PHDBytes.words($0) })
        #expect(pieces.map(\.first) == [0, 64, 128] && pieces.map(\.samples.count) == [64, 64, 22])
        #expect(pieces.flatMap(\.samples) == Array(0..<150))
    }

    @Test func whatDoesNotFit_IsNoWave() {
        // Three samples where four are announced; and arrays of unknown coding.
        #expect(waves(Self.object(length: 6), PHDBytes.words(1, 2, 3)).isEmpty)
        for object in [Self.object(count: 0), Self.object(bits: 12), Self.object(bits: 24), Self.object(count: 8001)] {
            var manager = PHDVectorTests.Manager()
            manager.play(.received(PHDSimulatedCuff(["configuration": "extended"]).associationRequest))
            manager.play(.received(PHDBytes.configuration([object])))
            #expect(manager.writes.last?.hasSuffix("40000001") == true)  // unsupported-config: nothing usable in it
        }
    }

    @Test func line_IsWholeAndFitsItsRoom() throws {
        let worst = Waveform(
            partition: 2, term: 257, unit: 4274, period: .milliseconds(5),
            scale: Waveform.Scale(samples: Int32.min...Int32.max, lower: Digits(mantissa: -8_388_605, exponent: -9), upper: Digits(2)),
            first: 4096,
            clock: .time(DeviceTime(year: 2026, month: 11, day: 20, hour: 7, minute: 10, second: 12)),
            samples: [Int32](repeating: .min, count: 100))
        var text = TextBuffer()
        ReadingLine().append(.live(.waveform(worst), driver: "phd", elapsed: .seconds(3)), device: "00091ffffe000101", to: &text)
        #expect(text.string.utf8.count < ReadingLine.longest)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.string.utf8)) as? [String: Any])
        #expect(object["type"] as? String == "waveform" && object["code"] as? String == "MDC_ECG_ELEC_POTL_I")
        #expect(object["unit"] as? String == "mV" && object["period_us"] as? Int == 5000 && object["first"] as? Int == 4096)
        #expect((object["samples"] as? [Int])?.count == 64 && (object["sample_range"] as? [Int])?.last == Int(Int32.max))
    }
}

import CuffCore
import Foundation
import Testing

@testable import CuffClinical

@Suite struct QuantityTests {
    @Test func theTable_FitsTheNomenclature_AndTheSampleTypes() {
        #expect(Set(QuantityType.all.map(\.name)).count == QuantityType.all.count)
        #expect(Set(QuantityType.all.map(\.mdc)).count == QuantityType.all.count)
        for type in QuantityType.all {
            #expect(Nomenclature.name(partition: UInt16(type.mdc >> 16), term: UInt16(type.mdc & 0xFFFF)) != nil, "\(type.name)")
            #expect(SampleType.all.contains(type.sample) && type.sample.identifier.description.hasPrefix("HK"), "\(type.name)")
            if type.sample.kind == .category {
                #expect(
                    type.unit == 0 && type.sample.unit == nil && Set(type.values.map(\.word)).count == type.values.count
                        && !type.values.isEmpty)
            } else {
                #expect(Nomenclature.unit(type.unit) != nil && type.sample.kind == .quantity && type.values.isEmpty, "\(type.name)")
                #expect(type.sample.unit.map { HealthUnit.all.contains($0) } == true, "\(type.name)")
            }
        }
    }

    @Test func levels_AreThoseOfTheMathematicsLibrary() throws {
        for tenths in stride(from: -1500, through: 1500, by: 7) {
            let level = Double(tenths) / 10
            let energy = SoundLevel.energy(level)
            #expect(abs(energy / pow(10, level / 10) - 1) < 1e-13, "\(level)")
            #expect(abs(try #require(SoundLevel.level(energy)) - level) < 1e-11, "\(level)")
        }
        #expect(SoundLevel.level(0) == nil && SoundLevel.level(-1) == nil && SoundLevel.level(.infinity) == nil)
    }

    private func level(_ values: [(Double, Duration?)]) -> Double? {
        var collection = QuantityCollection(.environmentalAudioExposure, CalendarCut(.day, zone: .utc))
        for (index, (value, duration)) in values.enumerated() {
            collection.add(DatedValue(value, at: Timestamp(seconds: Int64(index) * 60), from: .none), lasting: duration)
        }
        return collection.buckets.first.flatMap { collection.result($0.statistics) }.map { $0.word == "level" ? $0.value : .nan }
    }

    /// Twice the energy is 3.01 dB more; half the time at a level equals the whole time at 3.01 dB less.
    @Test func equivalentLevels_FollowEnergy_NotNumbers() throws {
        // Nine tenths of the time at 70 dB and one at 85; half of it at 80 and half at 90.
        let tenths: Double = 10 * log10((9 * 1e7 + pow(10, 8.5)) / 10)
        let halves: Double = 10 * log10((1e8 + 1e9) / 2)
        // As one expression, each of these takes the compiler half a second.
        func distance(_ parts: [(Double, Duration?)], from expected: Double) throws -> Double {
            let found = try #require(level(parts))
            return abs(found - expected)
        }
        #expect(try distance([(80, .seconds(3600))], from: 80) < 1e-9)
        #expect(try distance([(90, .seconds(1800)), (0, .seconds(1800))], from: 90 - 10 * log10(2)) < 1e-6)
        #expect(try distance([(70, .seconds(900)), (85, .seconds(100))], from: tenths) < 1e-9)
        #expect(try distance([(80, nil), (90, nil)], from: halves) < 1e-9)
        #expect(try distance([(80, .seconds(60)), (120, nil)], from: 80) < 1e-9, "a moment has no part where others last")
    }

    private func typed(_ name: String, _ mantissa: Int64, _ exponent: Int8 = 0, lasting: Duration? = nil) throws -> Reading {
        let type = try #require(QuantityType.named(name))
        return ManualQuantity(
            type, Digits(mantissa: mantissa, exponent: exponent), at: Timestamp(seconds: 1_777_959_000), lasting: lasting, user: 1
        ).reading(received: Timestamp(seconds: 1_777_959_100), zone: .utc)
    }

    @Test func typedQuantities_AreTheirType_AndAnAgentsPrivateTermIsNot() throws {
        for type in QuantityType.all { #expect(QuantityType.of(try typed(type.name, 50)) == type) }
        var copy = try typed("environmental_audio_exposure", 80)
        #expect(QuantityType.of(Reading(copy.content, driver: "phd", origin: .push, raw: RawBytes([1]))) == nil)
        copy.origin = .imported
        #expect(QuantityType.of(copy)?.name == "environmental_audio_exposure", "of a typed one")
        var pounds = try typed("body_mass", 80)
        pounds.content = .quantity(Quantity(partition: 2, term: 57664, value: Digits(80), unit: 1760))
        #expect(QuantityType.of(pounds) == nil, "another unit is not compared")
        #expect(try typed("body_mass", 725, -1).id == typed("body_mass", 725, -1).id)
        #expect(try typed("body_mass", 725, -1).id != typed("body_mass", 726, -1).id)
    }

    @Test func appleHealth_HasThemWithItsOwnUnits() throws {
        let readings = try [
            typed("body_mass", 725, -1), typed("oxygen_saturation", 97), typed("environmental_audio_exposure", 84, lasting: .seconds(1800)),
        ]
        let (text, omissions) = try WorkedExample.export(.appleHealth, readings, from: Provenance(driver: "manual"))
        #expect(omissions.isEmpty)
        func record(_ type: String) throws -> String {
            try #require(text.split(separator: "\n").first { $0.contains("HKQuantityTypeIdentifier\(type)\"") }.map(String.init))
        }
        #expect(try record("BodyMass").contains("unit=\"kg\"") && record("BodyMass").contains("value=\"72.5\""))
        #expect(try record("OxygenSaturation").contains("unit=\"%\"") && record("OxygenSaturation").contains("value=\"0.97\""))
        let audio = try record("EnvironmentalAudioExposure")
        #expect(audio.contains("unit=\"dBASPL\"") && audio.contains("value=\"84\""))
        // 05:30 UTC is 07:30 in Berlin; half an hour.
        #expect(audio.contains("startDate=\"2026-05-05 07:30:00 +0200\" endDate=\"2026-05-05 08:00:00 +0200\""))
    }

    // MARK: What is felt

    @Test func aCategory_HasAWord_AndADuration_InAppleHealthAndJSON() throws {
        let reading = try typed("chest_pain", 4, lasting: .seconds(1800))
        #expect(reading.text == "severe")
        let (text, omissions) = try WorkedExample.export(.appleHealth, [reading], from: Provenance(driver: "manual"))
        #expect(omissions.isEmpty)
        let record = try #require(text.split(separator: "\n").first { $0.contains("ChestTightnessOrPain") }.map(String.init))
        #expect(record.contains("<Record type=\"HKCategoryTypeIdentifierChestTightnessOrPain\"") && !record.contains("unit="))
        #expect(record.contains("startDate=\"2026-05-05 07:30:00 +0200\" endDate=\"2026-05-05 08:00:00 +0200\""))
        #expect(record.contains("value=\"HKCategoryValueSeveritySevere\""))
        var line = TextBuffer()
        ReadingLine().append(reading, device: "", to: &line)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.string.utf8)) as? [String: Any])
        #expect(
            object["code"] as? String == "CUFF_CHEST_PAIN" && object["text"] as? String == "severe" && object["duration_s"] as? Int == 1800)
        // A number without a value is left out.
        #expect(try WorkedExample.export(.appleHealth, [typed("chest_pain", 9)], from: Provenance(driver: "manual")).1.count == 1)
    }

    @Test func categories_AreCounted_AndNotAveraged() throws {
        let type = try #require(QuantityType.named("dizziness"))
        var collection = QuantityCollection(type.sample, CalendarCut(.day, zone: .utc))
        for (minute, value, lasting) in [(0, 2.0, 600), (60, 4, 1200), (120, 3, nil)] as [(Int64, Double, Int64?)] {
            collection.add(
                DatedValue(value, at: Timestamp(seconds: 1_777_939_200 + minute * 60), from: .none), lasting: lasting.map { .seconds($0) })
        }
        var text = TextBuffer()
        collection.appendLines(name: "dizziness", person: .unnamed(slot: 2, cuff: "hall"), to: &text)
        // 1777939200 is 2026-05-05T00:00:00Z.
        #expect(
            text.string
                == #"{"type":"statistics","schema":1,"quantity":"dizziness","by":"day","bucket":"2026-05-05","zone":"UTC","user":2,"#
                + #""cuff":"hall","count":3,"duration_s":1800,"worst":"severe","last":"moderate"}"# + "\n")
        var table = TextBuffer()
        collection.appendTable(to: &table)
        #expect(table.string.contains("severe") && table.string.contains("30") && table.string.contains("zone UTC"))
    }

    @Test(arguments: [
        ("250:34/27", "250:34/27"), ("1000:30/-,250:34.5/27", "250:34.5/27,1000:30/-"), ("8000:-5/0", "8000:-5/0"),
        ("", nil), ("250", nil), ("250:34", nil), ("250:34/27/1", nil), ("250:-/-", nil), ("250:34/27,250:30/20", nil), ("10:34/27", nil),
        ("250:34/270", nil), ("250:34/27,", nil), ("250:a/b", nil), ("250:34.55/27", nil), ("250:+3/1", nil),
        ((1...17).map { "\($0)00:1/1" }.joined(separator: ","), nil),
    ])
    func audiograms_AreReadWholeOrNotAtAll(_ text: String, _ expected: String?) { #expect(Audiogram(text)?.text == expected) }

    @Test func anAudiogram_IsAReading_AndAppleHealthHasIt() throws {
        let reading = try #require(
            Audiogram("250:34/27,500:30/-")?.reading(
                at: Timestamp(seconds: 1_777_959_000), user: 1, remarks: Remarks(), received: Timestamp(seconds: 1_777_959_100), zone: .utc)
        )
        #expect(Audiogram(reading)?.points.count == 2)
        let (text, omissions) = try WorkedExample.export(.appleHealth, [reading], from: Provenance(driver: "manual"))
        #expect(omissions.isEmpty && text.contains("<Audiogram type=\"HKDataTypeIdentifierAudiogram\""))
        #expect(text.contains("frequencyValue=\"250\" frequencyUnit=\"Hz\" leftEarValue=\"34\" leftEarUnit=\"dBHL\" rightEarValue=\"27\""))
        #expect(text.contains("frequencyValue=\"500\" frequencyUnit=\"Hz\" leftEarValue=\"30\" leftEarUnit=\"dBHL\"/>"))
        var foreign = Reading(reading.content, driver: "phd", origin: .push, raw: RawBytes([1]))
        foreign.text = reading.text
        #expect(Audiogram(foreign) == nil)
    }

    /// FHIR has UCUM units only.
    @Test func quantitiesInFHIR_HaveTheirUCUMUnit() throws {
        for (name, unit, code) in [("respiratory_rate", "resp/min", "/min"), ("body_mass", "kg", "kg"), ("body_temperature", "Cel", "Cel")]
        {
            let (text, omissions) = try WorkedExample.export(
                .fhirNDJSON, [try typed(name, 36)], from: Provenance(driver: "manual"), [("subject", "1=Patient/p1")])
            let value = #""valueQuantity":{"value":36,"unit":"\#(unit)","system":"http://unitsofmeasure.org","code":"\#(code)"}"#
            #expect(omissions.isEmpty && text.contains(value), "\(text)")
            #expect(ImportFixture(text).readings.map(\.content) == [try typed(name, 36).content])
        }
        let level = try WorkedExample.export(
            .fhirNDJSON, [try typed("headphone_audio_exposure", 84)], from: Provenance(driver: "manual"), [("subject", "1=Patient/p1")])
        #expect(level.omissions == [.noUnit])
    }

    @Test func jsonLines_SayTheDuration() throws {
        var text = TextBuffer()
        ReadingLine().append(try typed("headphone_audio_exposure", 84, lasting: .seconds(90)), device: "", to: &text)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.string.utf8)) as? [String: Any])
        #expect(object["duration_s"] as? Int == 90 && object["code"] as? String == "CUFF_AUDIO_EXPOSURE_HEADPHONES")
        #expect(object["value"] as? String == "84" && object["unit"] as? String == "dBA")
    }
}

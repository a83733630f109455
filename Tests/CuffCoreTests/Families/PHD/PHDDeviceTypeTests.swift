import Testing

@testable import CuffCore

/// Other agents: their standard configurations, the names and units of their values, and rejected values.
@Suite struct PHDDeviceTypeTests {
    private func request(_ configuration: UInt16) -> SessionEvent {
        var bytes = PHDSimulatedCuff(["configuration": "extended"]).associationRequest
        (bytes[44], bytes[45]) = (UInt8(configuration >> 8), UInt8(configuration & 0xFF))
        return .received(bytes)
    }

    private func manager(_ configuration: UInt16) -> PHDVectorTests.Manager {
        var manager = PHDVectorTests.Manager()
        manager.play(request(configuration))
        return manager
    }

    /// FLOAT FF000172 is 37.0; FF0002FA is 76.2; SFLOAT 0063 is 99, 0062 is 98.
    @Test(arguments: [
        (UInt16(0x0320), [UInt8(0xFF), 0, 0x01, 0x72], UInt16(19292), "37.0", UInt16(6048)),
        (0x05DC, [0xFF, 0, 0x02, 0xFA], 57664, "76.2", 1731), (0x06A4, [0, 0x63], 29112, "99", 2130),
        (0x0191, [0, 0x62], 19384, "98", 544),
    ])
    func standardConfigurations_AreKnown(_ id: UInt16, _ value: [UInt8], _ term: UInt16, _ text: String, _ unit: UInt16) throws {
        var manager = manager(id)
        #expect(manager.writes.first?.hasPrefix("e300002c0000") == true)
        manager.play(.received(PHDBytes.fixed([(1, value + PHDBytes.stamp)])))
        let quantity = try #require(manager.quantities.first)
        #expect((quantity.partition, quantity.term, quantity.unit) == (2, term, unit))
        #expect(quantity.value.map { PHDTree.text(.digits($0)) } == text)
        #expect(manager.answers().last == "rors")
    }

    /// Bytes of configuration 800 as sent by Freescale's agent, and of 1500 as by Antidote's.
    @Test func standardConfigurations_AreAsTheirSourcesSpellThem() {
        #expect(
            PHDStandardConfiguration.bytes(0x0320)
                == Hex.bytes("0001002c 0006000100040024 092f000400024b5c 0a460002f040 0996000217a0 0a55000c00020008 0a560004 09900008"))
        #expect(
            PHDStandardConfiguration.bytes(0x05DC)
                == Hex.bytes("0001002c 0006000100040024 092f00040002e140 0a460002f040 0996000206c3 0a55000c00020008 0a560004 09900008"))
        #expect(
            PHDStandardConfiguration.bytes(0x06A4)
                == Hex.bytes("0001002c 0006000100040024 092f0004000271b8 0a460002f040 099600020852 0a55000c00020008 0a4c0002 09900008"))
    }

    /// Configurations without a public source are requested from the agent.
    @Test(arguments: [UInt16(0x0258), 0x02BD, 0x0708, 0x07D0, 0x0834, 0x1004, 0x1C20])
    func otherStandardConfigurations_AreAskedFor(_ id: UInt16) {
        #expect(manager(id).writes.first?.hasPrefix("e300002c0003") == true)
    }

    /// Antidote's glucose agent sends a FLOAT where its map has an SFLOAT. Its first half does not become a number: the report is not
    /// confirmed, and the next association asks for the configuration.
    @Test func standardConfigurationThatDoesNotFit_GivesNoValue() {
        var manager = manager(0x06A4)
        _ = manager.answers()
        manager.play(.received(PHDBytes.fixed([(1, [0xFF, 0, 0x03, 0xDE] + PHDBytes.stamp)])))
        #expect(manager.readings.isEmpty && manager.answers().isEmpty)
        manager.play(.timerFired(.retry))
        manager.play(request(0x06A4))
        #expect(manager.writes.last?.hasPrefix("e300002c0003") == true)
        let spelled = PHDStandardConfiguration.numeric(1, 29112, spec: 0xF040, unit: 2130, map: [(0x0A56, 4), (0x0990, 8)])
        manager.play(.received(PHDBytes.configuration([spelled], id: 0x06A4)))
        manager.play(.received(PHDBytes.fixed([(1, [0xFF, 0, 0x03, 0xDE] + PHDBytes.stamp)])))
        #expect(manager.quantities.first?.value == Digits(mantissa: 990, exponent: -1))
    }

    @Test func ids_LieInTheRangesOfTheirDocuments() {
        for type in PHDDeviceType.all {
            for configuration in type.configurations {
                let first = (type.document - 10400) * 100
                #expect((first..<(first + 100)).contains(Int(configuration.id)), "\(configuration.id)")
                #expect(PHDStandardConfiguration.configuration(configuration.id)?.isUsable == true)
            }
        }
    }

    /// The values of a body composition analyzer, a peak flow meter and others have names and units.
    @Test(arguments: [
        (UInt16(2), UInt16(57676), UInt16(544), "MDC_BODY_FAT", "%"), (2, 57692, 1731, "MDC_BODY_WATER", "kg"),
        (2, 21512, 3072, "MDC_FLOW_AWAY_EXP_FORCED_PEAK", "L/min"), (2, 21514, 1600, "MDC_VOL_AWAY_EXP_FORCED_1S", "L"),
        (2, 29188, 512, "MDC_RATIO_INR_COAG", "1"), (2, 29192, 2176, "MDC_TIME_PD_COAG", "s"),
        (2, 16770, 2720, "MDC_ECG_HEART_RATE", "/min"), (2, 16168, 2194, "MDC_ECG_TIME_PD_RR_GL", "ms"),
        (129, 103, 6656, "MDC_HF_DISTANCE", "step"), (129, 119, 6784, "MDC_HF_ENERGY", "cal"),
        (130, 13313, 1746, "MDC_AI_MED_DISPENSED_VARIABLE", "mg"), (2, 29148, 544, "MDC_CONC_HBA1C", "%"),
    ])
    func otherMetrics_HaveNamesAndUnits(_ partition: UInt16, _ term: UInt16, _ unit: UInt16, _ name: String, _ printed: String) throws {
        let object = PHDStandardConfiguration.object(PHDClass.numeric, 1, count: 3) {
            $0.attribute(PHDAttribute.type) { $0.append(PHDBytes.words(partition, term)) }
            $0.attribute(PHDAttribute.unitCode) { $0.append16(unit) }
            $0.attribute(PHDAttribute.valueMap) { PHDStandardConfiguration.map([(0x0A4C, 2), (0x0990, 8)], into: &$0) }
        }
        var manager = PHDBytes.manager([object])
        manager.play(.received(PHDBytes.fixed([(1, PHDBytes.words(0xF0FC) + PHDBytes.stamp)])))
        let reading = try #require(manager.readings.first)
        var line = TextBuffer()
        ReadingLine().append(reading, device: "", to: &line)
        #expect(line.string.contains("\"code\":\"\(name)\"") && line.string.contains("\"unit\":\"\(printed)\""), "\(line.string)")
        #expect(line.string.contains("\"value\":\"25.2\""))
    }
}

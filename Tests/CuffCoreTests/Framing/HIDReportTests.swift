import CuffCore
import Testing

@Suite struct HIDReportTests {
    @Test func payload_IgnoresStaleBytes() {
        let whole = CountedReports(.wholeByte)
        #expect(whole.payload(of: [2, 0x4F, 0x4B, 0x98, 0xE1, 0xFF, 0xFF, 0xFF]) == [0x4F, 0x4B])
        #expect(whole.payload(of: [0, 1, 2, 3, 4, 5, 6, 7]) == [])
        let nibble = CountedReports(.lowNibble)
        #expect(nibble.payload(of: [0xF3, 0x06, 0x12, 0x16, 0xC0, 0x03, 0x75, 0x08]) == [0x06, 0x12, 0x16])
        #expect(nibble.payload(of: [0x0D] + Array(1...13)) == ArraySlice(1...13))
    }

    @Test func payload_IsNilWhenMoreIsCountedThanThere() {
        #expect(CountedReports(.wholeByte).payload(of: []) == nil)
        #expect(CountedReports(.wholeByte).payload(of: [8, 0x60, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(CountedReports(.wholeByte).payload(of: [3, 1, 2]) == nil)
        #expect(CountedReports(.lowNibble).payload(of: [0xF8, 1, 2, 3, 4, 5, 6, 7]) == nil)
        #expect(CountedReports(.wholeByte).payload(of: [0xF3, 1, 2, 3, 4, 5, 6, 7]) == nil)
    }

    @Test func reports_ComeApartAgain() {
        let counted = CountedReports(.wholeByte)
        for length in 0...40 {
            let bytes = (0..<length).map { UInt8($0) }
            let reports = counted.reports(of: bytes, filler: 0xAA)
            #expect(reports.allSatisfy { $0.count == 8 })
            #expect(reports.compactMap { counted.payload(of: $0) }.flatMap { $0 } == bytes)
        }
        #expect(
            counted.reports(of: [0x45, 0x4E, 0x44], filler: 0xAA) == [[3, 0x45, 0x4E, 0x44, 0xAA, 0xAA, 0xAA, 0xAA]])
    }

    @Test func cp2110_CarriesAnyBytes() {
        let bytes = (0..<200).map { UInt8($0) }
        let reports = CP2110Reports.reports(of: bytes)
        #expect(reports.map(\.count) == [64, 64, 64, 12])
        #expect(reports.compactMap { CP2110Reports.payload(of: $0 + [0xFF, 0xFF]) }.flatMap { $0 } == bytes)
        #expect(CP2110Reports.payload(of: [0x41, 1]) == nil)
        #expect(CP2110Reports.payload(of: [3, 1, 2]) == nil)
        #expect(CP2110Reports.payload(of: [0, 1]) == nil)
        #expect(CP2110Reports.configuration(LineSettings(rate: 19200)) == [0x50, 0, 0, 0x4B, 0, 0, 0, 3, 0])
    }
}

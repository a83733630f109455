import CuffClinical
import CuffCore
import Testing

@testable import CuffIngest

/// Measurements for a test or a demonstration belong to no person: they are excluded, with a message.
@Suite(.timeLimit(.minutes(5))) struct StagedReadingTests {
    private func reading(_ systolic: Int, _ flags: MeasurementFlags, minute: Int64, driver: DriverID) -> Reading {
        var reading = Reading(
            .bloodPressure(.mmHg(systolic, 80)), driver: driver, flags: flags, origin: .push, raw: RawBytes(Array("\(systolic)".utf8)))
        reading.measured = Timestamp(seconds: 1_777_968_000 + minute * 60)
        reading.id = Reading.ID(wallSeconds: 1_777_968_000 + minute * 60, hash: UInt64(systolic))
        return reading
    }

    @Test(
        arguments: [MeasurementFlags.demoData, .testData, [.testData, .noMeasurementCheck]], ["hl7-oru", "intellivue", "phd"] as [DriverID])
    func stagedReadings_CountNowhere_AndAreSaid(_ flags: MeasurementFlags, _ driver: DriverID) throws {
        let folder = TestFolder()
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        let (real, staged) = (reading(120, [], minute: 1, driver: driver), reading(190, flags, minute: 2, driver: driver))
        _ = try sink.write(ReadingBatch(source: 1, driver: driver, device: "m", entries: [.reading(real), .reading(staged)]))
        let store = try Store(folder.file("bp.db"), access: .write)
        for one in [real, staged] {
            let start = try #require(one.measured)
            let series = QuantitySeries(
                restored: .cuffPressure, unit: .mmHg, start: start, end: start, source: HealthSource(name: "cuff"), device: nil,
                reading: one.id, elements: [QuantitySeries.Element(start: 0, end: 0, value: Digits(one == real ? 150 : 250))])
            try store.keep(.quantity(try #require(series)), driver: driver, device: "m", identity: nil)
        }
        let selection = ReadingSelection(zone: .utc)
        let cut = CalendarCut(.day, zone: .utc)
        let note = "1 left out: \(Exclusion.notAPatient.sentence)"
        let persons = try HealthRuns.statisticsOfEach(store, selection, by: cut)
        #expect(persons.flatMap { $0.collection.buckets.map(\.merged.systolic.maximum?.value) } == [120])
        #expect(persons.flatMap(\.collection.leftOutNotes) == [note])
        #expect(HealthRuns.text(persons, isTable: true, width: 200).contains(note))
        #expect(try HealthRuns.plot(store, selection, style: RangePlot.Style()).contains(note))
        let pressures = try HealthRuns.statistics(store, selection, of: .cuffPressure, by: cut)
        #expect(pressures.flatMap { $0.collection.buckets.map(\.statistics.maximum?.value) } == [150])
        #expect(pressures.map(\.collection.leftOut) == [1])
    }
}

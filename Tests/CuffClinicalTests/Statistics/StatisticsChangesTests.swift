import CuffCore
import Testing

@testable import CuffClinical

@Suite struct StatisticsChangesTests {
    private func buckets(_ readings: [(day: Int64, systolic: Double)]) -> [StatisticsBucket] {
        var collection = StatisticsCollection(CalendarCut(.day, zone: .utc))
        for (day, systolic) in readings {
            collection.add(ReadingPoint(id: .none, time: Timestamp(seconds: day * 86400), systolic: systolic, diastolic: 80))
        }
        return collection.buckets
    }

    @Test func onlyWhatIsDifferent_IsToldAgain() {
        var changes = StatisticsChanges()
        func told(_ persons: [(Int?, [(day: Int64, systolic: Double)])]) -> [String] {
            changes.update(persons.map { (person: .unnamed(slot: $0.0, cuff: "hall"), buckets: buckets($0.1)) }).flatMap {
                person, buckets in
                buckets.map { "\(person.slot.map(String.init) ?? "-"):\($0.key):\($0.merged.count)" }
            }
        }
        #expect(told([(1, [(3, 120), (4, 130)]), (nil, [(3, 110)])]) == ["1:3:1", "1:4:1", "-:3:1"])
        #expect(told([(1, [(3, 120), (4, 130)]), (nil, [(3, 110)])]) == [])
        // Another value in the same number of readings; one more; a new day.
        #expect(told([(1, [(3, 121), (4, 130), (4, 131), (9, 100)]), (nil, [(3, 110)])]) == ["1:3:1", "1:4:2", "1:9:1"])
        // A day without readings, and a person without any.
        #expect(told([(1, [(3, 121), (4, 130), (4, 131)])]) == ["1:9:0", "-:3:0"])
        #expect(told([]) == ["1:3:0", "1:4:0"])
        #expect(told([]) == [])
    }
}

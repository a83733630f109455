import CuffClinical
import CuffCore
import Foundation
import TestSupport
import Testing

@testable import CuffIngest

/// Damaged databases and archives: no crash, no implausible reading, every loss reported. Text files: `ImportDamageTests`.
@Suite struct ImportDamageRunTests {
    static let names = ["derdilla_v1.7.db", "obpm.sql", "health_connect_export.db", "apple_export.zip", "withings_data.zip"]

    private struct Result {
        var readings: [String] = []
        var isPlausible = true
        var complaints = 0
        var fault: IngestError?
    }

    private func read(_ path: String, _ folder: TestFolder) -> Result {
        var result = Result()
        do {
            var run = ImportRun(ImportRequest(zone: .utc), database: folder.file("none.db"))
            let summary = try run.preview(path)
            // The samples have fewer readings than the preview keeps.
            for line in summary.lines {
                result.readings.append("\(line.reading.measured?.utcText ?? "") \(line.reading.content)")
                result.isPlausible = result.isPlausible && line.reading.bloodPressure?.isPlausible == true
            }
            (result.complaints, result.fault) = (summary.refused + summary.skipped, summary.fault)
        } catch { result.fault = error }
        return result
    }

    @Test(arguments: names) func damage_IsReported(_ name: String) throws {
        guard let samples = ImportSampleRunTests.folder else { return }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(samples)/\(name)")))
        let folder = TestFolder()
        let whole = read("\(samples)/\(name)", folder)
        #expect(whole.fault == nil && !whole.readings.isEmpty)
        var random = SplitMix64(seed: UInt64(bytes.count))
        for round in 0..<Effort.choose(250, exhaustive: 10000) {
            var broken = bytes
            let place = Int(random.next() % UInt64(bytes.count))
            switch random.next() % 4 {
            case 0: broken[place] ^= 1 << UInt8(random.next() % 8)
            case 1: broken[place] = UInt8(truncatingIfNeeded: random.next())
            case 2: broken.removeLast(bytes.count - place)
            default: broken.removeSubrange(place..<min(bytes.count, place + 1 + Int(random.next() % 20)))
            }
            let path = folder.file("broken")
            try Data(broken).write(to: URL(fileURLWithPath: path))
            let result = read(path, folder)
            let (before, after) = (Set(whole.readings), Set(result.readings))
            let missing = before.subtracting(after).count, changed = after.subtracting(before).count
            #expect(result.isPlausible)
            // A checksum protects the members of an archive.
            if name.hasSuffix(".zip") { #expect(changed == 0, "\(name) round \(round): \(after.subtracting(before))") }
            #expect(
                missing <= changed || result.complaints > whole.complaints || result.fault != nil,
                "\(name) round \(round): \(missing) missing, \(changed) changed at \(place)")
        }
    }
}

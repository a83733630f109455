import CuffCore
import Foundation
import Testing

@Suite struct DriverListTests {
    @Test func ids_AreUnique_AndOfTheVocabulary() {
        let vocabulary: Set<String> = [
            "phd", "and-std", "r1", "dinamap-ascii", "dinamap-native", "omron-hbp", "beurer-serial", "suntech-advantage", "par-nibp",
            "microlife-bpa100", "ampall-bp868f", "berry-pm6750", "and-ua767pc", "evgmolt-oem", "maibobo", "paramatech-ft201", "nibp-nano",
            "veroval-bpm25", "omron-hid", "beurer-hid", "microlife-hid", "contec-08a", "taidoc",
        ]
        let ids = CuffFamilies.all.map(\.id.description)
        #expect(Set(ids).count == ids.count)
        #expect(Set(ids).isSubset(of: vocabulary))
    }

    @Test func noTwoDrivers_ClaimOneDeviceForThemselves() {
        var seen: [CuffDriver.Claim: String] = [:]
        for driver in CuffFamilies.all {
            for claim in driver.claims {
                guard case .usb = claim else { continue }
                #expect(seen[claim] == nil, "\(driver.id) and \(seen[claim] ?? "") both claim \(claim)")
                seen[claim] = driver.id.description
            }
        }
    }

    /// Every `CuffDriver` constant of the folder is in the list: a forgotten line is a driver nobody can use.
    @Test func everyDriverFile_IsInTheList() throws {
        let folder = CaptureFile.root.appendingPathComponent("Sources/CuffCore/Families")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)).compactMap { $0 as? URL }
        var declared: Set<String> = []
        for file in files where file.pathExtension == "swift" {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: /public static let (\w+) = CuffDriver\(\s*id: "([^"]+)"/)
            {
                declared.insert(String(match.2))
            }
        }
        #expect(declared == Set(CuffFamilies.all.map(\.id.description)))
    }

    @Test func everyDriver_HasCaptures() {
        let covered = Set(CaptureFile.own.compactMap { $0.header["driver"] })
        #expect(Set(CuffFamilies.all.map(\.id.description)).subtracting(covered).isEmpty)
    }

    @Test func everyDriver_NamesItsSources() {
        for driver in CuffFamilies.all {
            #expect(!driver.sources.isEmpty && !driver.models.isEmpty && !driver.framing.isEmpty, "\(driver.id)")
        }
    }

    /// Before a command, and in `.follow` with a silent cuff, nothing is written to anybody.
    @Test(arguments: CuffFamilies.all.map(\.id.description))
    func aSilentLine_IsNotWrittenTo(_ id: String) throws {
        let driver = try #require(CuffFamilies.named(id))
        var session = driver.makeSession(SessionContext())
        for event in [SessionEvent.opened, .received([]), .received([0x00]), .closed] {
            for action in session.handle(event) {
                switch action {
                case .write, .writeFeature: Issue.record("\(id) wrote on \(event)")
                default: break
                }
            }
        }
    }
}

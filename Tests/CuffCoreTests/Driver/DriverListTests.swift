import CuffCore
import Foundation
import Testing

@Suite struct DriverListTests {
    /// Databases and scripts contain ids: the folder of captures has the same name, so that neither is renamed alone.
    @Test func ids_AreUnique_WellFormed_AndThoseOfTheCaptures() throws {
        let ids = CuffFamilies.all.map(\.id.description)
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) != nil }, "\(ids)")
        let folders = try FileManager.default.contentsOfDirectory(atPath: CaptureFile.root.appendingPathComponent("captures").path)
        #expect(Set(ids).subtracting(folders).isEmpty)
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

    /// Every `CuffDriver` constant of the folder is in the list.
    @Test func everyDriverFile_IsInTheList() throws {
        let folder = CaptureFile.root.appendingPathComponent("Sources/CuffCore/Families")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)).compactMap { $0 as? URL }
        var declared: Set<String> = []
        for file in files where file.pathExtension == "swift" {
            for match in try String(contentsOf: file, encoding: .utf8).matches(
                of: /(?:public|package) static let (\w+) = CuffDriver\(\s*id: "([^"]+)"/)
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

    /// Families whose cuffs get an acknowledgement or the next request after a commit.
    static let acknowledging: Set<String> = ["hl7-oru", "omron-hid", "phd", "r1", "taidoc", "veroval-bpm25"]

    /// A session with `hearsCommits` false gets no commits, and must have no use for them.
    @Test(arguments: CaptureFile.playable)
    func aSessionThatIsNotToldOfCommits_NeedsNone(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        var session = driver.makeSession(SessionContext())
        guard !session.hearsCommits else { return }
        #expect(!Self.acknowledging.contains(driver.id.description))
        var actions = session.handle(.opened) + session.handle(.command(.follow))
        var emitted = 0
        for item in file.items {
            switch item.content {
            case .fromCuff(let bytes): actions = session.handle(.received(bytes))
            case .toCuff(let bytes): actions = session.handle(.sent(bytes))
            case .event: continue
            }
            emitted += actions.count { if case .emit = $0 { true } else { false } }
            let after = session.handle(.committed(through: emitted))
            #expect(after.isEmpty, "\(driver.id) does \(after)")
        }
    }

    @Test func acknowledgingFamilies_HearCommits() throws {
        for id in Self.acknowledging {
            #expect(try #require(CuffFamilies.named(id)).makeSession(SessionContext()).hearsCommits, "\(id)")
        }
    }

    @Test func everyDriver_NamesItsSources() {
        for driver in CuffFamilies.all {
            #expect(!driver.sources.isEmpty && !driver.models.isEmpty && !driver.framing.isEmpty, "\(driver.id)")
        }
    }

    /// A source can be looked up, or is declared as not established: bare index numbers are neither. Makers' document numbers have seven
    /// digits and follow the maker's name.
    @Test func noSource_IsABareNumber() throws {
        for driver in CuffFamilies.all {
            for text in driver.sources + [driver.testedOn.recording ?? ""] {
                #expect(text.firstMatch(of: /[0-9]{8,}/) == nil, "\(driver.id): \(text)")
                #expect(text.firstMatch(of: /\bfiles? [0-9]/) == nil, "\(driver.id): \(text)")
            }
        }
        let folder = CaptureFile.root.appendingPathComponent("Sources/CuffCore")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)).compactMap { $0 as? URL }
        for file in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.firstMatch(of: /\bfiles? [0-9]{4,}/) == nil, "\(file.lastPathComponent) cites a file by its number")
        }
        for file in CaptureFile.own {
            #expect(file.header["origin"]?.firstMatch(of: /[0-9]{8,}/) == nil, "\(file.testDescription)")
        }
    }

    /// `recorded by us` needs a capture recorded here; a recording by others has its place of publication, which is among the sources.
    @Test func recordings_AreTold_ByWhom() {
        let recordedHere = Set(CaptureFile.own.filter { $0.header["origin"] == "recorded" }.compactMap { $0.header["driver"] })
        for driver in CuffFamilies.all {
            #expect((driver.testedOn == .recordedByUs) == recordedHere.contains(driver.id.description), "\(driver.id)")
            guard let recording = driver.testedOn.recording else { continue }
            let publisher = recording.prefix { $0 != "," && $0 != ":" }
            #expect(
                driver.sources.contains { $0.contains(publisher) || recording.contains("origin is not established") },
                "\(driver.id): \(publisher) is not among its sources")
        }
        #expect(CuffFamilies.all.filter { $0.testedOn.recording != nil }.count == 10)
    }

    /// The sheet, the tables and the JSON contain the recording's owner.
    @Test func sheet_SaysWhoRecorded() throws {
        let driver = try #require(CuffFamilies.named("omron-hid"))
        let sheet = DriverSheet.text(driver)
        #expect(
            sheet.contains(
                "evidence      grade A, tested on bytes recorded elsewhere (openyou/libomron, doc/logs/hem790it: six USB logs of a "
                    + "HEM-790IT); untested on hardware by this project\n"))
        #expect(DriverSheet.markdown([driver]).contains("| A, recorded elsewhere |"))
        #expect(DriverSheet.cells(driver).contains("recorded elsewhere"))
        var json = TextBuffer()
        DriverSheet.appendJSON(driver, to: &json)
        #expect(json.string.contains(#""tested_on":"recorded","recorded_by":"others","recording":"openyou/libomron, "#))
        let derived = try #require(CuffFamilies.named("taidoc"))
        #expect(
            DriverSheet.text(derived).contains(
                "tested on bytes built from a documented layout; untested on hardware by this project\n"))
        #expect(!DriverSheet.markdown([derived]).contains("recorded"))
    }

    /// Before a command, and in `.follow` with a silent cuff, nothing is written.
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

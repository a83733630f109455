import CuffCore
import Foundation
import TestSupport
import Testing

/// The files in udev-rules/ match the list of drivers.
@Suite struct UdevRulesTests {
    private static let folder = ProjectFolder.url.appending(path: "udev-rules")

    /// `CUFF_REBASELINE=1 swift test --filter UdevRulesTests` rewrites the files.
    @Test(arguments: [
        ("70-cuff.hwdb", UdevRules.hardwareDatabase(for: CuffFamilies.all)),
        ("70-cuff.rules", UdevRules.text(for: CuffFamilies.all)),
        ("cuff.metainfo.xml", UdevRules.metadata(for: CuffFamilies.all)),
    ])
    func files_AreWhatTheListGives(_ name: String, _ text: String) throws {
        let url = Self.folder.appending(path: name)
        if ProcessInfo.processInfo.environment["CUFF_REBASELINE"] == "1" {
            try text.write(to: url, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == text, "\(name) is out of date: make udev-rules")
    }

    /// Parses the installed text instead of calling the function that wrote it.
    @Test func everyClaim_AndNothingElse_IsInTheFiles() throws {
        let database = try String(contentsOf: Self.folder.appending(path: "70-cuff.hwdb"), encoding: .utf8)
        let rules = try String(contentsOf: Self.folder.appending(path: "70-cuff.rules"), encoding: .utf8)
        let active = rules.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
        let commented = rules.split(separator: "\n").filter { $0.hasPrefix("#SUBSYSTEM") }.joined(separator: "\n")

        var exact: Set<USBID> = []
        var releases: Set<USBID> = []
        var shared: Set<USBID> = []
        for claim in CuffFamilies.all.flatMap(\.claims) {
            switch claim {
            case .usb: exact.insert(claim.id)
            case .release: releases.insert(claim.id)
            case .shared: shared.insert(claim.id)
            }
        }
        #expect(Self.databaseIDs(database) == exact)
        #expect(Self.ruleIDs(active) == releases)
        #expect(Self.ruleIDs(commented) == shared)
        #expect(exact.isDisjoint(with: shared), "an id cannot be certainly a cuff and everybody's at once")
    }

    @Test func noTwoDrivers_ClaimTheSameDevice() {
        var owners: [USBID: DriverID] = [:]
        for driver in CuffFamilies.all {
            for claim in driver.claims {
                if case .shared = claim { continue }
                #expect(owners[claim.id] == nil, "\(claim.id) is claimed by \(owners[claim.id]!) and \(driver.id)")
                owners[claim.id] = driver.id
            }
        }
    }

    @Test func rules_KeepTheirManners() throws {
        let rules = UdevRules.text(for: Self.sample)
        let active = rules.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(!active.contains { $0.contains("RUN") || $0.contains("0666") || $0.contains("OWNER") })
        #expect(!active.contains { $0.lowercased().contains("brltty") })
        #expect(!active.contains { $0.contains("0403") }, "a bridge chip stays commented out")
        // Device-wide settings for ModemManager only with the property of a certain cuff.
        for line in active where line.contains("ID_MM_DEVICE_IGNORE") { #expect(line.contains("ENV{ID_CUFF}==\"1\"")) }
        #expect("70-cuff.rules" < "73-seat-late.rules" && UdevRules.localPath.contains("/71-"))
    }

    @Test func exactID_GetsACapitalHexLine() {
        let text = UdevRules.hardwareDatabase(for: Self.sample)
        #expect(text.contains("\nusb:v0C45p74AB*\n ID_CUFF=1\n ID_CUFF_DRIVER=exact\n"))
        #expect(!text.contains("0403") && !text.contains("7406"))
    }

    @Test func release_IsMatchedByItsNumber() {
        let text = UdevRules.text(for: Self.sample)
        #expect(
            text.contains(
                "SUBSYSTEM==\"hidraw\", ATTRS{idVendor}==\"0c45\", ATTRS{idProduct}==\"7406\", ATTRS{bcdDevice}==\"0170\", "
                    + "ENV{ID_CUFF}=\"1\", ENV{ID_CUFF_DRIVER}=\"released\""))
    }

    @Test func ruleForOneDevice_EscapesWhatUdevWouldRead() {
        let rule = UdevRules.rule(
            medium: .tty, id: USBID(vendor: 0x0403, product: 0x6001), place: .serial("A*\"|B [1]$x"), driver: "and-std")
        #expect(rule.contains("ATTRS{serial}==\"A???B??1??x\""))
        #expect(rule.contains("ATTRS{idVendor}==\"0403\""))
        #expect(!rule.contains("\n"))
    }

    static var sample: [CuffDriver] {
        var exact = CuffDriver.andStd
        exact.id = "exact"
        exact.medium = .hidraw
        exact.claims = [.usb(vendor: 0x0C45, product: 0x74AB)]
        var released = exact
        released.id = "released"
        released.claims = [.release(vendor: 0x0C45, product: 0x7406, bcdDevice: 0x0170)]
        return [exact, released, .andStd]
    }

    private static func databaseIDs(_ text: String) -> Set<USBID> {
        Set(
            text.matches(of: /(?m)^usb:v([0-9A-F]{4})p([0-9A-F]{4})\*$/).compactMap {
                USBID("\($0.1):\($0.2)")
            })
    }

    private static func ruleIDs(_ text: String) -> Set<USBID> {
        Set(
            text.matches(of: /ATTRS?\{idVendor\}=="([0-9a-f]{4})", ATTRS?\{idProduct\}=="([0-9a-f]{4})"/).compactMap {
                USBID("\($0.1):\($0.2)")
            })
    }
}

import CuffCore
import CuffIngest
import Foundation
import Testing

@testable import cuff

@Suite struct DeviceDetailTests {
    private var information: DeviceInformation {
        var identity = DeviceIdentity(id: "00091ffffe000101", manufacturer: "ACME", model: "BP-9", serial: "SN0042", battery: 71)
        identity.wantsClock = true
        identity.details = [
            DeviceIdentity.Detail(name: "production part number", value: "PN \"7\""),
            DeviceIdentity.Detail(name: "power", value: "on battery"),
        ]
        return DeviceInformation(driver: .phd, identity: identity, clock: nil)
    }

    @Test func text_HasEveryRow() {
        let lines = information.text.split(separator: "\n").map(String.init)
        #expect(lines.contains("production part number PN \"7\"") && lines.contains("power           on battery"))
        #expect(lines.contains { $0.hasPrefix("clock_wanted") })
    }

    @Test func json_IsWholeAndKeepsTheOrder() throws {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(information.json.utf8)) as? [String: Any])
        #expect(object["clock_wanted"] as? Bool == true && object["battery_percent"] as? Int == 71)
        let details = try #require(object["details"] as? [[String: String]])
        #expect(details == [["name": "production part number", "value": "PN \"7\""], ["name": "power", "value": "on battery"]])
        let bare = DeviceInformation(driver: .phd, identity: DeviceIdentity(id: "a"), clock: nil)
        #expect(!bare.json.contains("details") && !bare.json.contains("clock_wanted") && !bare.text.contains("clock_wanted"))
    }

    @Test func doctor_SaysWhoAskedForTheClock() throws {
        var facts = Doctor.Facts(name: "/dev/ttyACM0")
        facts.isNetwork = true
        #expect(Doctor.findings(facts).first { $0.step == .clock }?.state == .skipped)
        facts.clockWishes = ["00091ffffe000101"]
        let finding = try #require(Doctor.findings(facts).first { $0.step == .clock })
        #expect(finding.state == .warning && finding.lines.contains("00091ffffe000101"))
        #expect(finding.lines.contains("cuff clock /dev/ttyACM0 --set now"))
    }
}

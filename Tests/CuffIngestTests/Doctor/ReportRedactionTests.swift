import Testing

@testable import CuffIngest

@Suite struct ReportRedactionTests {
    private static let redaction = ReportRedaction(
        serials: ["A10KX1", "0001", "100"], cuffs: ["hallway", "00091ffffe801234"], people: ["Anna", "Ben"], home: "/home/anna",
        user: "anna", host: "wohnzimmer")

    @Test(arguments: [
        ("USB 0403:6001 FT232R at port 1-1.2, serial number A10KX1", "USB 0403:6001 FT232R at port 1-1.2, serial number [serial 1]"),
        ("serial number XY77 (as all of its kind)", "serial number [serial] (as all of its kind)"),
        ("/dev/serial/by-id/usb-FTDI_FT232R_A10KX1-if00-port0", "/dev/serial/by-id/[id]"),
        ("usb:0403:6001:ZZ9,driver=and-std", "usb:0403:6001:[serial],driver=and-std"),
        // A serial number within another number is kept.
        ("1000 readings, 100 of it", "1000 readings, [serial 3] of it"),
        ("/home/anna/.config/cuff/config.toml:3", "~/.config/cuff/config.toml:3"),
        ("/home/ben/bp.db", "/home/[user]/bp.db"),
        ("runs as anna, groups: anna dialout", "runs as [user], groups: [user] dialout"),
        ("device hallway\tport:1-1.2\tbeurer-serial user 1=Anna", "device [cuff 1]\tport:1-1.2\tbeurer-serial user 1=[person 1]"),
        ("agent 00091FFFFE801234", "agent [id]"),
        ("agent 00091ffffe801234", "agent [cuff 2]"),
        ("sink server\tmqtts://anna:pa55@broker.example/bp", "sink server\tmqtts://[secret]@broker.example/bp"),
        ("exec:./send --token=abc123 --to x", "exec:./send --token=[secret] --to x"),
        ("Authorization: Bearer eyJhbGciOi.x.y", "Authorization: Bearer [secret]"),
        ("20260505T073110-9f0c61d2a4b7e3f0 was refused", "[reading] was refused"),
        ("tcp://192.168.1.20:4000, on 127.0.0.1:9105", "tcp://[address]:4000, on 127.0.0.1:9105"),
        ("a0:b1:c2:d3:e4:f5", "[id]"), ("mail anna.m@example.org", "mail [mail]"),
        ("May 05 wohnzimmer cuff[77]: /dev/ttyUSB0 opened", "May 05 [host] cuff[77]: /dev/ttyUSB0 opened"),
    ])
    func text_WithoutWhatTellsWho(_ text: String, _ expected: String) { #expect(Self.redaction.text(text) == expected) }

    @Test(arguments: [
        ("device wc\tport:1-1.2 user 1=Jo", "device [cuff 1]\tport:1-1.2 user 1=[person 1]"),
        ("John, wcs and user 2=李明", "John, wcs and user 2=[person 2]"), ("李明の血圧計, 王", "[person 2]の血圧計, [person 3]"),
        ("serial number A1, 12 readings", "serial number [serial], 12 readings"),
        ("hl7://h:2575?patient.1=4711&patient.Zoe=..&tls=yes", "hl7://h:2575?patient.1=[patient]&patient.[person]=[patient]&tls=yes"),
        ("fhir+https://h/r4?subject.1=Patient/MUSTER-ANNA", "fhir+https://h/r4?subject.1=[patient]"),
    ])
    func shortNames_AndIdsOfPatients_AreTakenOut(_ text: String, _ expected: String) {
        let redaction = ReportRedaction(
            serials: ["12"], cuffs: ["wc"], people: ["Jo", "李明", "王", ""], home: "/", user: "ed", host: "pi")
        #expect(redaction.text(text) == expected)
    }

    @Test func facts_Stay() {
        let text = "USB 0403:6001 FTDI FT232R at port 1-1.2\npermission ok root:dialout rw-rw---- (0660)\nand-std blood_pressure 42\n"
        #expect(Self.redaction.text(text) == text)
    }
}

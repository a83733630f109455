import CuffCore

// Sources: omblepy @708c13e omblepy.py:268 (A); report by e-mail, five public samples (A), German title row in one parser (B); detailed
// export, columns in two parsers (A); omramin @e55f346 omramin.py:2586 (B); bloodp, sample and writer (A).

extension Importer {
    /// `user1.csv` of omblepy: the diastolic pressure comes first.
    static let omblepy = Importer(
        "import-omblepy", program: "omblepy", help: "CSV of omblepy (user from the file's name)",
        sign: "header datetime,dia,sys,bpm,mov,ihb",
        table: TableLayout(
            titles: [.date: ["datetime"], .systolic: ["sys"], .diastolic: ["dia"], .pulse: ["bpm"]],
            signature: ["datetime", "dia", "sys", "bpm", "mov", "ihb"],
            flags: [.bit("mov", .bodyMovement), .bit("ihb", .irregularPulse)],
            userOfFile: { name in
                // `user1.csv`, perhaps after a prefix.
                guard name.lowercased().hasSuffix(".csv"), name.dropLast(5).lowercased().hasSuffix("user") else { return nil }
                return name.dropLast(4).last.flatMap { Int32(String($0)) }
            }))

    /// The report that Omron Connect sends by e-mail.
    static let omronReport = Importer(
        "import-omron-report", program: "OMRON connect", help: "report of OMRON connect by e-mail, English or German",
        sign: "header Date,Time,Systolic (mmHg),… or Datum,Zeit,Systolisch (mmHg),…",
        table: omronReport(
            titles: [
                .date: ["date"], .clock: ["time"], .systolic: ["systolic(mmhg)"], .diastolic: ["diastolic(mmhg)"], .pulse: ["pulse(bpm)"],
                .note: ["notes"],
            ], signature: ["date", "time", "systolic(mmhg)", "diastolic(mmhg)"]))

    /// The same in German.
    static let omronReportGerman = Importer(
        "import-omron-bericht", program: "OMRON connect", help: "the same report in German", sign: "header Datum,Zeit,Systolisch (mmHg),…",
        table: omronReport(
            titles: [
                .date: ["datum"], .clock: ["zeit"], .systolic: ["systolisch(mmhg)"], .diastolic: ["diastolisch(mmhg)"],
                .pulse: ["puls(bpm)"], .note: ["notizen"],
            ], signature: ["datum", "zeit", "systolisch(mmhg)", "diastolisch(mmhg)"]))

    private static func omronReport(titles: [TableLayout.Field: [String]], signature: [String]) -> TableLayout {
        TableLayout(
            titles: titles, signature: signature, others: ["truread"], time: .text(nil),
            complete: { row, reading throws(ImportRefusal) in
                // `Yes`: an average of three made by the cuff. Other values are not documented, and are kept as text.
                guard let text = row["truread"], text.lowercased() != "no" else { return }
                if text.lowercased() == "yes" {
                    reading.flags.insert(.averaged)
                } else {
                    reading.remark(note: [row[.note], "TruRead: \(text)"].compactMap { $0 }.joined(separator: "; "))
                }
            })
    }

    /// The detailed export of Omron Connect, with a zone in each row.
    static let omronDetail = Importer(
        "import-omron-detail", program: "OMRON connect", help: "detailed CSV of OMRON connect, with zones",
        sign: "header with Measurement Date, Timezone, SYS(mmHg), DIA(mmHg)",
        table: TableLayout(
            titles: [
                .date: ["measurementdate"], .zone: ["timezone"], .systolic: ["sys(mmhg)"], .diastolic: ["dia(mmhg)"],
                .pulse: ["pulse(bpm)"], .note: ["memo", "notes"],
            ], signature: ["measurementdate", "timezone", "sys(mmhg)", "dia(mmhg)"],
            flags: [
                .detected("irregularheartbeatdetected", .irregularPulse), .detected("irregularheartbeat", .irregularPulse),
                .detected("bodymovement", .bodyMovement),
            ]))

    /// What omramin writes.
    static let omramin = Importer(
        "import-omramin", program: "omramin", help: "CSV of omramin", sign: "header begins timestamp,deviceName,deviceCategory",
        table: TableLayout(
            titles: [
                .date: ["timestamp"], .systolic: ["systolic"], .diastolic: ["diastolic"], .pulse: ["pulse"], .note: ["notes"],
            ], signature: ["timestamp", "devicename", "devicecategory"],
            flags: [.truth("irregularhb", .irregularPulse), .truth("movementdetect", .bodyMovement)], others: ["devicecategory"],
            judge: { row throws(ImportRefusal) in
                if row[.systolic] == nil, row[.diastolic] == nil { throw .otherKind(row["devicecategory"] ?? "another device") }
            },
            complete: { row, reading throws(ImportRefusal) in
                guard case .instant = reading.time else { throw .unreadableTime(row.time ?? "") }
            }))

    /// bloodp: lines of type `avg` are averages of a session.
    static let bloodp = Importer(
        "import-bloodp", program: "bloodp", help: "CSV of bloodp", sign: "header begins User;Date;AmPm;Typ;Sys;Dia;Pulse",
        table: TableLayout(
            titles: [.user: ["user"], .date: ["date"], .systolic: ["sys"], .diastolic: ["dia"], .pulse: ["pulse"]],
            signature: ["user", "date", "ampm", "typ", "sys", "dia", "pulse"], others: ["typ"],
            judge: { row throws(ImportRefusal) in
                switch row["typ"] {
                case "msr": return
                case "avg": throw .average("")
                case let type: throw .malformed("type `\(type ?? "")` is neither msr nor avg")
                }
            }))
}

import CuffCore

// Sources: Withings, bp-visualizer @93a9320 page.tsx:50 and one sample (B); Samsung, columns in four readers (A), zone of start_time
// disputed (C); iHealth, a test and two readers (A); Beurer, beurer2gc @98f55fd upload_beurer2gc.py:343–452 (A); "My Heart",
// derdilla column.dart:180–225 (B); Veroval duo, README of usb-bpm-exporter (C).

extension Importer {
    /// `bp.csv` of Withings: the heart rate comes before the pressures.
    static let withings = Importer(
        "import-withings", program: "Withings", help: "bp.csv of a Withings export, or the whole ZIP file",
        sign: "header Date,Heart rate,Systolic,Diastolic,Comments",
        table: TableLayout(
            titles: [
                .date: ["date"], .systolic: ["systolic"], .diastolic: ["diastolic"], .pulse: ["heartrate"], .note: ["comments"],
            ], signature: ["date", "heartrate", "systolic", "diastolic"]))

    /// Samsung Health: the first line is a title. `start_time` is taken as UTC, as the sample has it; its readers disagree.
    static let samsung = Importer(
        "import-samsung", program: "Samsung Health", help: "com.samsung.shealth.blood_pressure….csv",
        sign: "first line com.samsung.shealth.blood_pressure,…",
        table: TableLayout(
            titles: [
                .date: ["start_time"], .zone: ["time_offset"], .systolic: ["systolic"], .diastolic: ["diastolic"], .pulse: ["pulse"],
                .mean: ["mean"], .note: ["comment"], .key: ["datauuid"],
            ], signature: ["start_time", "systolic", "diastolic"], time: .utcText, prefix: "com.samsung.health.blood_pressure.",
            title: "com.samsung.shealth.blood_pressure,"))

    /// iHealth: dates with a month's name, or in numbers whose order the whole file decides.
    static let iHealth = Importer(
        "import-ihealth", program: "iHealth", help: "CSV of iHealth", sign: "header Date,Time,SYS(mmHg),DIA(mmHg),Pulse(Beats/Min),Note",
        table: TableLayout(
            titles: [
                .date: ["date"], .clock: ["time"], .systolic: ["sys(mmhg)"], .diastolic: ["dia(mmhg)"], .pulse: ["pulse(beats/min)"],
                .note: ["note"],
            ], signature: ["date", "time", "sys(mmhg)", "dia(mmhg)"], time: .text(nil)))

    /// Beurer HealthManager Pro and HealthForYou, German: `MAD`, a mean that the app calculates, is not stored.
    static let beurer = Importer(
        "import-beurer", program: "beurer HealthManager Pro", help: "CSV of HealthManager Pro and HealthForYou, German",
        sign: "a line BLUTDRUCK before the header Datum;Uhrzeit;Sys;Dia;Puls;…",
        table: TableLayout(
            separators: [0x3B],
            titles: [
                .date: ["datum"], .clock: ["uhrzeit"], .systolic: ["sys"], .diastolic: ["dia"], .pulse: ["puls"],
                .note: ["notiz", "bemerkung"],
            ], signature: ["datum", "uhrzeit", "sys", "dia"], others: ["manuellhinzugefügt"], time: .text(.dmy), section: "BLUTDRUCK",
            complete: { row, reading throws(ImportRefusal) in reading.isEntered = row["manuellhinzugefügt"] == "1" }))

    /// "My Heart": `0` and `null` mean no value.
    static let myHeart = Importer(
        "import-myheart", program: "My Heart", help: "CSV of My Heart", sign: "header DATUM,SYSTOLE,DIASTOLE,PULSE,…",
        table: TableLayout(
            titles: [
                .date: ["datum"], .systolic: ["systole"], .diastolic: ["diastole"], .pulse: ["pulse"], .note: ["beschreibung"],
            ], signature: ["datum", "systole", "diastole"],
            judge: { row throws(ImportRefusal) in
                let isZero: (TableLayout.Field) -> Bool = { field in
                    row[field].flatMap { ImportText.digits($0) }.map { $0.mantissa == 0 } ?? true
                }
                if isZero(.systolic), isZero(.diastolic) { throw .noPressures }
            }))

    /// OBPM: users 1 and 2; the comment is not quoted and may hold semicolons.
    static let obpm = Importer(
        "import-obpm", program: "OBPM", help: "CSV of OBPM, the predecessor of UBPM", sign: "header user;date;time;sys;dia;bpm;comment",
        table: TableLayout(
            titles: [
                .user: ["user"], .date: ["date"], .clock: ["time"], .systolic: ["sys"], .diastolic: ["dia"], .pulse: ["bpm", "pulse"],
                .note: ["comment"],
            ], signature: ["user", "date", "time", "sys", "dia"], time: .text(.dmy), joinsLastCells: true,
            judge: { row throws(ImportRefusal) in
                guard let user = row[.user], user == "1" || user == "2" else { throw .unknownUser(row[.user] ?? "") }
            }))

    /// Veroval duo control: that `Regular Heart Beat` 0 means irregular is inferred from the title (guess).
    static let veroval = Importer(
        "import-veroval", program: "Veroval", help: "CSV of the Veroval duo exporter", sign: "header User,Date,Hour,Regular Heart Beat,…",
        table: TableLayout(
            titles: [
                .user: ["user"], .date: ["date"], .clock: ["hour"], .systolic: ["systolic"], .diastolic: ["diastolic"], .pulse: ["pulse"],
            ], signature: ["user", "date", "hour", "regularheartbeat", "systolic", "diastolic"],
            flags: [
                TableLayout.FlagColumn(title: "regularheartbeat", flag: .irregularPulse, raised: ["0"], lowered: ["1"]),
                .bit("bodymovement", .bodyMovement), .bit("incorrectcuffwrapping", .cuffLoose),
            ], others: ["usablemeasurement"],
            judge: { row throws(ImportRefusal) in
                if row["usablemeasurement"] == "0" { throw .status("not usable") }
            }))

    /// derdilla's app: the user chooses the columns.
    static let derdilla = Importer(
        "import-derdilla", program: "Blood pressure monitor (derdilla)", help: "CSV of the app Blood pressure monitor",
        sign: "first column timestampUnixMs",
        table: TableLayout(
            titles: [
                .date: ["timestampunixms"], .systolic: ["systolic"], .diastolic: ["diastolic"], .pulse: ["pulse"],
                .note: ["notes", "note"],
            ], signature: ["timestampunixms"], time: .unixMilliseconds))
}

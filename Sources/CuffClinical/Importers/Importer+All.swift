import CuffCore

extension Importer {
    /// Every built-in layout, in the order of recognition.
    package static let all: [Importer] =
        [
            .csv, .ownLines, .ownCSV, .ownDatabase, .withings, .appleHealth, .omronReport, .omronReportGerman, .omronDetail, .ubpm,
            .omblepy,
            .obpm, .obpmDatabase, .healthConnect, .garmin, .samsung, .iHealth, .beurer, .derdilla, .derdillaDatabase, .fhir, .omh, .bloodp,
            .omramin, .contec, .myHeart, .veroval, .withingsBare,
        ] + unsupported

    /// The layout with this name; throws if the name is unknown.
    package static func named(_ name: String, among importers: [Importer] = all) throws(ImportFault) -> Importer {
        guard let found = importers.first(where: { $0.name == name }) else {
            throw .badOption("unknown layout `\(name)`; known are \(importers.map(\.name).joined(separator: ", "))")
        }
        return found
    }

    /// The driver id of a layout, of manual entries, or of other programs' reports. `nil` for any other name.
    package static func driver(named name: String) -> DriverID? {
        if let driver = [ManualEntry.driver, Reading.reportedDriver].first(where: { $0.description == name }) { return driver }
        return all.first { $0.driver.description == name }?.driver
    }

    /// The layout of a file with this beginning; `nil` if it is unknown. If the options have a mapping, the mapped table.
    package static func recognised(_ head: [UInt8], _ options: ImportOptions, among importers: [Importer] = all) -> Importer? {
        if options.columns != nil, let table = importers.first(where: { $0.name == Importer.csv.name }) { return table }
        let head = TextStream(head).head
        return importers.first { $0.recognise(head) }
    }

    /// The layout of a database with these tables and columns; `nil` if it is unknown.
    package static func recognised(tables: [String: Set<String>], among importers: [Importer] = all) -> Importer? {
        importers.first { importer in
            guard case .database(let database) = importer.form else { return false }
            return database.tables.allSatisfy { name, columns in tables[name].map { $0.isSuperset(of: columns) } ?? false }
        }
    }
}

// Layouts that are recognised and refused, because no file or parser of them was found (grade C).

extension Importer {
    private static let unsupported: [Importer] = [
        layout(
            "import-omron-xlsx", "OMRON connect", "Excel file of OMRON connect or IEM", sign: "ZIP with xl/workbook.xml",
            missing: "Excel files are not read; save the table as CSV"
        ) { head in
            head.starts(with: [0x50, 0x4B, 3, 4]) && head.span.contains("xl/") && head.span.contains("[Content_Types].xml")
        },
        layout(
            "import-ubpm-xml", "UBPM", "XML of UBPM", sign: "XML with the root UBPM",
            missing: "its layout is not published; export JSON from UBPM instead"
        ) { $0.starts(with: Array("<?xml".utf8)) && $0.span.contains("<UBPM") },
        layout(
            "import-google-fit", "Google Fit", "Takeout of Google Fit", sign: "JSON or CSV with com.google.blood_pressure",
            missing: "the fields of single readings are not published; use Health Connect instead"
        ) { $0.span.contains("com.google.blood_pressure") },
        layout(
            "import-mobil-o-graph", "IEM Mobil-O-Graph", "text export of IEM Mobil-O-Graph", sign: "Excel file with the key column ID",
            missing: "only one reader of it is known, and it does not name the columns; use --columns"
        ) { $0.span.contains("Mobil-O-Graph") },
    ]

    private static func layout(
        _ driver: DriverID, _ program: String, _ help: String, sign: String, missing: String,
        _ recognise: @escaping @Sendable ([UInt8]) -> Bool
    ) -> Importer {
        Importer(driver: driver, program: program, help: help, sign: sign, form: .unsupported(missing: missing), recognise: recognise)
    }
}

extension Span<UInt8> {
    /// Whether the text occurs.
    fileprivate func contains(_ text: StaticString) -> Bool {
        var index = 0
        while let place = firstOffset(of: text.utf8Start[0], from: index) {
            if matches(text, at: place) { return true }
            index = place + 1
        }
        return false
    }
}

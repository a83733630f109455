import Foundation
import TestSupport
import Testing

@Suite struct RemarkVerbTests {
    private let scratch: Scratch
    private var database: String { scratch.path("bp.db") }
    private static let capture = CuffProcess.folder.appendingPathComponent("captures/and-std/last-result.capture").path

    init() throws { scratch = try Scratch() }

    private func cuff(_ arguments: String...) async throws -> CuffProcess {
        try await CuffProcess.run(arguments + ["--db", database])
    }

    /// Rows of a table, which end in CR LF.
    private func rows(_ arguments: String...) async throws -> [String] {
        try await CuffProcess.run(arguments + ["--db", database]).output.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// The ids of an entered reading and a cuff's.
    private func fill() async throws -> (typed: String, measured: String) {
        #expect(
            try await cuff(
                "add", "128", "82", "71", "--at", "2026-05-05T07:30", "--note", "after \"the\" stairs", "--medication", "before",
                "--posture",
                "lying down", "--arm", "left"
            ).status == 0)
        #expect(try await CuffProcess.run(["replay", Self.capture, "--sink", "sqlite:\(database)"]).status == 0)
        let ids = try await cuff("show", "--json").objects().compactMap { $0["id"] as? String }
        try #require(ids.count == 2)
        return (ids[0], ids[1])
    }

    @Test func remarks_StandInEveryFormatThatHasAPlace() async throws {
        let (typed, measured) = try await fill()
        #expect(try await cuff("note", measured, "--note", "cold hands", "--arm", "right").status == 0)
        let shown = try await cuff("show", "--json").objects()
        #expect(shown[0]["note"] as? String == "after \"the\" stairs" && shown[0]["medication"] as? String == "before")
        #expect(shown[0]["posture"] as? String == "lying down" && shown[0]["arm"] as? String == "left")
        #expect(shown[1]["note"] as? String == "cold hands" && shown[1]["revision"] as? Int == 1 && shown[1]["id"] as? String == measured)
        #expect(try await cuff("show", "--format", "table").output.contains("lying down, left arm, “after \"the\" stairs”"))
        let csv = try await rows("export", "--format", "csv")
        #expect(csv[0].hasPrefix("id,revision,") && csv[0].hasSuffix(",model,note,medication,posture,arm,duration_s,person,decoder"))
        #expect(csv[1].hasPrefix("\(typed),0,") && csv[1].hasSuffix(",\"after \"\"the\"\" stairs\",before,lying down,left,,,"))
        let omh = try await cuff("export", "--together", "--tz", "UTC", "--format", "omh", "--arm", "right", "--posture", "sitting")
            .objects()
        let bodies = omh.compactMap { $0["body"] as? [String: Any] }.filter { $0["systolic_blood_pressure"] != nil }
        #expect(bodies.map { $0["body_posture"] as? String } == ["lying down", "sitting"])
        #expect(bodies.map { $0["measurement_location"] as? String } == ["left upper arm", "right upper arm"])
        let apple = try await cuff("export", "--together", "--format", "apple-health").output
        #expect(apple.contains("<MetadataEntry key=\"CuffNote\" value=\"after &quot;the&quot; stairs\"/>"))
        #expect(apple.contains("<MetadataEntry key=\"CuffPosture\" value=\"lying down\"/>"))
        // The replayed cuff's clock has no zone, so the reading has no instant.
        let floating = try await cuff("export", "--together", "--format", "fhir-ndjson", "--subject", "Patient/p1")
        #expect(floating.errors.contains("1 left out: the cuff's time has no zone; add --tz"), "\(floating.errors)")
        #expect(floating.output.contains(typed) && !floating.output.contains(measured))
        // It is exported once the zone is known, also by a named export.
        #expect(try await !cuff("export", "--new", "lines", "--format", "influx").output.contains(measured))
        let later = try await cuff("export", "--new", "lines", "--format", "influx", "--tz", "UTC").output
        #expect(later.contains(measured) && !later.contains(typed))
        let fhir = try await cuff("export", "--together", "--tz", "UTC", "--format", "fhir-ndjson", "--subject", "Patient/p1").objects()
        let panels = fhir.filter { $0["component"] != nil }
        let sites = panels.compactMap { (($0["bodySite"] as? [String: Any])?["coding"] as? [[String: Any]])?.first?["code"] as? String }
        #expect(sites == ["368208006", "368209003"])
        let notes = panels.map { ($0["note"] as? [[String: String]] ?? []).compactMap { $0["text"] } }
        #expect(notes == [["typed in by hand", "medication: before", "after \"the\" stairs"], ["cold hands"]])
        #expect(panels.map { $0["status"] as? String } == ["final", "amended"])
        let positions = panels.map {
            (($0["extension"] as? [[String: Any]])?.first?["valueCodeableConcept"] as? [String: Any])?["text"] as? String
        }
        #expect(positions == ["lying down", nil])
        let page = try await cuff("report", "-o", "-").output
        #expect(page.contains("cold hands") && page.contains("① before (1)") && page.contains("①, lying down, left arm"))
    }

    @Test func aProblemReport_TellsNothingOfThem() async throws {
        let (typed, measured) = try await fill()
        #expect(try await cuff("note", measured, "--note", "cold hands").status == 0)
        #expect(try await cuff("edit", typed, "--systolic", "129").status == 0)
        let report = try await cuff("doctor", "--report", "-")
        #expect(report.output.contains("tombstones"))
        for word in ["cold", "stairs", "before", "lying"] { #expect(!report.output.contains(word), "\(word)") }
        #expect(!report.errors.contains("cold"))
        let log = try await cuff("note", measured, "--note", "cold feet")
        #expect(log.errors == "cuff: 1 reading changed\n", "what was said is not repeated")
    }

    @Test func aPage_IsPrintedWhereABrowserIs_AndSaysSoWhereNone() async throws {
        _ = try await fill()
        let page = scratch.path("report.pdf")
        let without = try await CuffProcess.run(["report", "-o", page, "--db", database], environment: ["PATH": "/nonexistent"])
        #expect(without.status == 69, "\(without.errors)")
        #expect(without.errors.contains("neither a browser nor WeasyPrint is installed") && without.errors.contains("report.html"))
        #expect(!FileManager.default.fileExists(atPath: page))
        // A stand-in that prints nothing, and one that does.
        let folder = scratch.path("bin")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func browser(_ script: String) throws { try TestProgram.write(script, to: folder + "/chromium") }
        let path = ["PATH": "\(folder):/usr/bin:/bin"]
        try browser("#!/bin/sh\nexit 0\n")
        let nothing = try await CuffProcess.run(["report", "-o", page, "--db", database], environment: path)
        #expect(nothing.status == 70 && nothing.errors.contains("created no file"))
        try browser(
            """
            #!/bin/sh
            for word; do case "$word" in --print-to-pdf=*) out="${word#--print-to-pdf=}";; file://*) page="${word#file://}";; esac; done
            grep -q 'page counter' "$page" || grep -q 'counter(page)' "$page" || exit 1
            printf '%%PDF-1.7 ' > "$out"; stat -c %a "$page" >> "$out"
            """)
        let printed = try await CuffProcess.run(["report", "-o", page, "--db", database], environment: path)
        #expect(printed.status == 0, "\(printed.errors)")
        #expect(try String(contentsOfFile: page, encoding: .utf8) == "%PDF-1.7 600\n", "the page is private meanwhile")
        #expect(try FileManager.default.attributesOfItem(atPath: page)[.posixPermissions] as? Int == 0o600)
        let left = try FileManager.default.contentsOfDirectory(atPath: (page as NSString).deletingLastPathComponent)
        #expect(!left.contains { $0.hasPrefix("cuff-report") }, "nothing is left behind")
    }

    /// A stand-in copies the page that WeasyPrint gets: without variables, and with a style in each picture.
    @Test func aPage_IsPrintedByWeasyPrint_WhereNoBrowserIs() async throws {
        _ = try await fill()
        let (page, folder) = (scratch.path("report.pdf"), scratch.path("bin"))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try TestProgram.write("#!/bin/sh\n{ printf '%%PDF-'; /bin/cat \"$1\"; } >\"$2\"\n", to: folder + "/weasyprint")
        let printed = try await CuffProcess.run(["report", "-o", page, "--db", database], environment: ["PATH": folder])
        #expect(printed.status == 0, "\(printed.errors)")
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(text.contains("</html>") && !text.contains("var(--") && text.contains("border-bottom: 2px solid #000"))
        let pictures = text.components(separatedBy: "<svg ").dropFirst()
        #expect(!pictures.isEmpty)
        for one in pictures { #expect(one.contains("><style>text{") && one.contains(".sb, .sl, .sm { stroke: #b3400e }")) }
    }

    @Test func edit_IsForWhatWasTypedIn() async throws {
        let (typed, measured) = try await fill()
        let refused = try await cuff("edit", measured, "--systolic", "120")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("a cuff measured it (and-std)") && refused.errors.contains("cuff note \(measured)"))
        #expect(try await cuff("edit", typed).status == 64)
        #expect(try await cuff("edit", typed, "--systolic", "60").status == 64, "it looks wrong")
        #expect(try await cuff("edit", typed, "--systolic", "138", "--pulse", "none", "--user", "2").status == 0)
        let shown = try await cuff("show", "--json", "--id", typed, "--earlier").objects()
        #expect(shown.map { $0["systolic_mmHg"] as? Int } == [128, 138])
        #expect(shown[0]["replaced"] is String && shown[1]["replaced"] == nil)
        #expect(shown[1]["revision"] as? Int == 1 && shown[1]["pulse_per_min"] == nil && shown[1]["user"] as? Int == 2)
        #expect(try await cuff("show", "--json", "--id", typed).objects().count == 1)
        #expect(try await cuff("show", "--earlier", "--format", "table").output.contains("(replaced 20"))
        #expect(try await cuff("db", "check").status == 0)
    }

    /// The slot of a reading that was typed in stays through a move to a person and back.
    @Test func undoneMove_LeavesTheUserNumber() async throws {
        let (typed, _) = try await fill()
        let config = scratch.path("config.toml")
        try Data("[person.Ben]\ncuffs = [\"hall\"]\n".utf8).write(to: URL(filePath: config))
        func edit(_ arguments: String...) async throws -> [String: Any]? {
            let run = try await CuffProcess.run(
                ["edit", typed] + arguments + ["--db", database], environment: ["CUFF_CONFIG": config])
            #expect(run.status == 0, "\(run.errors)")
            return try await cuff("show", "--json", "--id", typed).objects().first
        }
        #expect(try await edit("--user", "2")?["user"] as? Int == 2)
        let moved = try await edit("--user", " ben ")
        #expect(moved?["user"] as? Int == 2 && moved?["person"] as? String == "Ben")
        let back = try await edit("--user", "none")
        #expect(back?["user"] as? Int == 2 && back?["person"] == nil)
        #expect(try await edit("--user", "none")?["user"] == nil)
    }

    @Test func edit_OfAnotherQuantity_IsRefused() async throws {
        let added = try await cuff("add", "--quantity", "body_mass", "80", "--at", "2026-05-06T08:00")
        let id = try #require(added.errors.split(whereSeparator: \.isWhitespace).last.map(String.init))
        for arguments in [["--at", "2026-05-07T08:00"], ["--systolic", "120"], ["--user", "2"]] {
            let run = try await CuffProcess.run(["edit", id] + arguments + ["--db", database])
            #expect(run.status == 64 && run.errors.contains("only a blood pressure can be corrected"), "\(run.errors)")
        }
    }

    @Test(arguments: [
        ["note", "--note", "x"], ["note", "ID"], ["note", "ID", "--clear", "--note", "x"], ["note", "ID", "--posture", "upside down"],
        ["note", "ID", "--note", "two\nlines"], ["note", "nonsense", "--note", "x"], ["add", "120", "80", "--arm", "third"],
    ])
    func nonsense_IsRefused_AndChangesNothing(_ arguments: [String]) async throws {
        let (typed, _) = try await fill()
        let before = try await cuff("show", "--json").output
        let refused = try await CuffProcess.run(arguments.map { $0 == "ID" ? typed : $0 } + ["--db", database])
        #expect(refused.status == 64, "\(refused.errors)")
        #expect(try await cuff("show", "--json").output == before)
    }

    @Test func deletions_AreToldInTheExport_Once() async throws {
        let (typed, measured) = try await fill()
        #expect(try await cuff("export", "--new", "clinic", "--format", "jsonl").objects().count == 2)
        #expect(try await rows("export", "--new", "table", "--format", "csv").count == 3)
        #expect(try await cuff("delete", measured, "--confirm", "delete").status == 0)
        let told = try await cuff("export", "--new", "clinic", "--format", "jsonl")
        #expect(told.objects("deleted").compactMap { $0["id"] as? String } == [measured] && told.lines.count == 1)
        #expect(try await cuff("export", "--new", "clinic", "--format", "jsonl").output.isEmpty)
        let row = try #require(try await rows("export", "--new", "table", "--format", "csv").last)
        #expect(row.contains(",deleted,") && row.contains("\(measured),255,") && !row.contains(typed))
        // A format that cannot contain deletions reports them on standard error.
        #expect(try await cuff("export", "--new", "phone", "--format", "apple-health").status == 0)
        #expect(try await cuff("delete", typed, "--confirm", "delete").status == 0)
        #expect(try await cuff("export", "--new", "phone", "--format", "apple-health").errors.contains(typed))
    }

    @Test func followedStatistics_PrintABucketAgain() async throws {
        _ = try await fill()
        let following = try SpawnedCuff(["stats", "--follow", "--together", "--json", "--tz", "UTC", "--db", database])
        func lines() -> [[String: Any]] { CuffProcess(status: 0, output: following.output, errors: "").objects("statistics") }
        #expect(try await following.prints { _ in lines().count == 1 })
        #expect(lines().last?["count"] as? Int == 2)
        #expect(try await cuff("add", "150", "95", "--at", "2026-05-06T07:30").status == 0)
        #expect(try await following.prints { _ in lines().count == 2 })
        #expect(lines().last?["bucket"] as? String == "2026-05-06" && lines().last?["count"] as? Int == 1)
        let id = try #require(try await cuff("show", "--json", "--last", "1").objects().first?["id"] as? String)
        #expect(try await cuff("delete", id, "--confirm", "delete").status == 0)
        #expect(try await following.prints { _ in lines().count == 3 })
        #expect(lines().last?["bucket"] as? String == "2026-05-06" && lines().last?["count"] as? Int == 0)
        following.signal(SIGINT)
        #expect(await following.end().status == 0)
        #expect(try await cuff("stats", "--follow", "--over", "7d").status == 64)
    }

    @Test func otherQuantities_AreAdded_CountedAndExported() async throws {
        for (name, value, rest) in [
            ("body_mass", "72.5", ["--at", "2026-05-04T08:00"]), ("body_mass", "71.5", ["--at", "2026-05-05T08:00"]),
            ("environmental_audio_exposure", "90", ["--at", "2026-05-05T08:00", "--for", "30m", "--note", "drill"]),
            ("environmental_audio_exposure", "0", ["--at", "2026-05-05T09:00", "--for", "30m"]),
        ] {
            let run = try await CuffProcess.run(["add", "--quantity", name, value] + rest + ["--db", database])
            #expect(run.status == 0, "\(run.errors)")
        }
        let mass = try await cuff("stats", "--quantity", "body_mass", "--over", "2026-05-01..2026-05-10", "--json").objects("statistics")
        #expect(
            mass.count == 1 && mass.first?["avg"] as? Double == 72 && mass.first?["count"] as? Int == 2
                && mass.first?["unit"] as? String == "kg")
        let level = try await cuff("stats", "--quantity", "environmental_audio_exposure", "--json").objects("statistics")
        #expect(level.first?["level"] as? Double == 86.99, "90 dB for half of the time")
        #expect(try await cuff("show", "--type", "quantity", "--format", "table").output.contains("“drill”"))
        #expect(try await cuff("add", "--quantity", "headache", "moderate", "--at", "2026-05-06T08:00").status == 0)
        let plain = try await cuff("show", "--type", "quantity").output
        #expect(plain.contains("\tMDC_MASS_BODY_ACTUAL 72.5 kg\n") && plain.contains("\tCUFF_HEADACHE moderate\n"), "\(plain)")
        #expect(try await cuff("show", "--type", "quantity", "--format", "table").output.contains("CUFF_HEADACHE moderate\n"))
        #expect(
            try await cuff("export", "--together", "--format", "apple-health").output.contains(
                "HKQuantityTypeIdentifierEnvironmentalAudioExposure"))
        #expect(try await cuff("add", "--quantity", "audiogram", "250:34/27,500:30/-").status == 0)
        #expect(try await cuff("show", "--type", "quantity", "--json").objects().contains { $0["text"] as? String == "250:34/27,500:30/-" })
        #expect(
            try await cuff("export", "--together", "--format", "apple-health").output.contains("<SensitivityPoint frequencyValue=\"250\""))
        for wrong in [
            ["add", "--quantity", "audiogram", "250"], ["add", "--quantity", "body_mas", "70"], ["add", "--quantity", "body_mass", "7000"],
            ["add", "--quantity", "body_mass", "heavy"],
            ["add", "--quantity", "body_mass", "70", "71"], ["add", "120"], ["add", "120", "80", "--for", "3m"], ["add", "120", "x"],
            ["stats", "--quantity", "body_mas"], ["stats", "--style", "discrete-equivalent-continuous-level"],
        ] {
            let refused = try await CuffProcess.run(wrong + ["--db", database])
            #expect(refused.status == 64, "\(wrong): \(refused.errors)")
        }
    }

    @Test func series_AreFoundByTheirValues() async throws {
        let measurement = CuffProcess.folder.appendingPathComponent("captures/par-nibp")
        let captures = try FileManager.default.contentsOfDirectory(atPath: measurement.path).filter { $0.hasSuffix(".capture") }.sorted()
        for capture in captures {
            _ = try await CuffProcess.run(["replay", "\(measurement.path)/\(capture)", "--sink", "sqlite:\(database)"])
        }
        let all = try await cuff("show", "--type", "quantity_series", "--json").objects()
        let tops = all.compactMap { $0["max"] as? Double }
        let limit = tops.max() ?? 0
        let found = try await cuff("show", "--type", "quantity_series", "--json", "--where", "max>=\(limit)", "--where", "count > 0")
        #expect(found.objects().count == tops.count { $0 >= limit })
        #expect(try await cuff("show", "--type", "quantity_series", "--where", "max>\(limit)").output.isEmpty)
        #expect(try await cuff("show", "--type", "quantity_series", "--where", "height>1").status == 64)
        #expect(try await cuff("show", "--where", "max>1").status == 64)
    }

    @Test func doctor_SaysWhoMayReadTheDatabase() async throws {
        _ = try await fill()
        let own = try await CuffProcess.run(["doctor", "--db", database, "--json"]).objects("check").last {
            $0["step"] as? String == "file modes"
        }
        #expect(own?["state"] as? String == "ok" && (own?["text"] as? String)?.contains("rw-------") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: database)
        let open = try await CuffProcess.run(["doctor", "--db", database, "--json"]).objects("check").last {
            $0["step"] as? String == "file modes"
        }
        #expect(open?["state"] as? String == "warning" && (open?["text"] as? String)?.contains("everybody") == true)
        #expect((open?["fix"] as? String)?.contains("chmod 600 \(database)") == true)
    }

    @Test func edit_OfAValue_LeavesTheZoneOfTheReading() async throws {
        #expect(try await cuff("add", "182", "82", "--at", "2026-07-05T07:31", "--tz", "Europe/Berlin").status == 0)
        let id = try #require(try await cuff("show", "--json").objects().first?["id"] as? String)
        #expect(try await cuff("edit", id, "--systolic", "138").status == 0)
        let edited = try #require(try await cuff("show", "--json").objects().first)
        #expect(edited["systolic_mmHg"] as? Int == 138)
        #expect(edited["measured"] as? String == "2026-07-05T07:31:00+02:00")
        // Another time is in the given zone.
        #expect(try await cuff("edit", id, "--at", "2026-07-05T08:00", "--tz", "Asia/Tokyo").status == 0)
        #expect(try await cuff("show", "--json").objects().first?["measured"] as? String == "2026-07-05T08:00:00+09:00")
    }

    /// In Berlin 02:30 is missing on 2026-03-29, and comes twice on 2026-10-25.
    @Test(arguments: [
        ("2026-03-29T02:30", "2026-03-29T03:30:00+02:00"), ("2026-10-25T02:30", "2026-10-25T02:30:00+02:00"),
        ("2026-10-25T02:30+01:00", "2026-10-25T02:30:00+01:00"),
    ])
    func add_InAnHourThatIsMissingOrComesTwice_SaysWhichTimeItTook(_ text: String, _ taken: String) async throws {
        let added = try await cuff("add", "128", "82", "--at", text, "--tz", "Europe/Berlin", "--json")
        #expect(added.status == 0 && added.errors.hasPrefix("cuff: measured \(taken)\ncuff: added as "), "\(added.errors)")
        #expect(added.objects().first?["measured"] as? String == taken)
    }

    @Test func add_AfterDelete_StoresAgain_AndACuffsReadingStaysAway() async throws {
        let (_, measured) = try await fill()
        let again = ["add", "128", "82", "71", "--at", "2026-05-05T07:30", "--db", database]
        // Each deletion removes the entry, and entering it again creates one.
        for _ in 0..<3 {
            #expect(try await cuff("delete", "--source", "manual", "--confirm", "delete").status == 0)
            #expect(try await cuff("show", "--json").objects().count == 1)
            let first = try await CuffProcess.run(again)
            #expect(first.status == 0 && first.errors.contains("added as"), "\(first.errors)")
            let second = try await CuffProcess.run(again)
            #expect(second.status == 0 && second.errors.contains("already stored as"), "\(second.errors)")
            #expect(try await cuff("show", "--json").objects().count == 2)
        }
        #expect(try await cuff("delete", measured, "--confirm", "delete").status == 0)
        #expect(try await CuffProcess.run(["replay", Self.capture, "--sink", "sqlite:\(database)"]).status == 0)
        let left = try await cuff("show", "--json").objects()
        #expect(left.count == 1 && left.first?["origin"] as? String == "entered")
    }
}

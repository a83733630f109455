import CuffClinical
import Foundation
import Testing

@testable import CuffIngest
@testable import cuff

/// `--device` takes the names that `cuff person` prints, and hints lead to a selection of one person.
@Suite struct CuffNameTests {
    private let scratch: Scratch
    private var database: String { scratch.path("bp.db") }
    init() throws { scratch = try Scratch() }

    private func cuff(_ arguments: String..., input: [UInt8] = []) async throws -> CuffProcess {
        try await CuffProcess.run(arguments + ["--db", database], environment: ["XDG_CONFIG_HOME": scratch.path("config")])
    }

    /// A reading of a cuff without an identity, one of a cuff with a name, and one that was typed in.
    private func fill() async throws {
        for (systolic, more) in [(128, []), (138, ["--device", "hallway"])] {
            let run = try await CuffProcess.run(
                ["decode", "--driver", "and-std", "--sink", "sqlite:\(database)", "--tz", "UTC"] + more,
                input: DecodeReplayTests.frame(systolic, "2605050731"))
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(try await cuff("add", "118/78", "--at", "2026-05-05T08:00", "--tz", "UTC").status == 0)
    }

    private func systolic(_ arguments: String...) async throws -> [Int?] {
        try await CuffProcess.run(
            ["show", "--json", "--db", database] + arguments, environment: ["XDG_CONFIG_HOME": scratch.path("config")]
        )
        .objects("blood_pressure").map { $0["systolic_mmHg"] as? Int }
    }

    @Test func everyNameOfPerson_SelectsItsReadings() async throws {
        try await fill()
        let listed = try await cuff("person", "--json").objects("person").compactMap { ($0["cuffs"] as? [String])?.first }
        #expect(Set(listed) == ["and-std", "hallway", "manual"])
        #expect(try await systolic("--device", "and-std") == [128])
        #expect(try await systolic("--device", "hallway") == [138])
        #expect(try await systolic("--device", "manual") == [118])
        #expect(try await systolic("--source", "and-std").count == 2)
        let average = try await cuff("stats", "--by", "month", "--format", "jsonl", "--device", "and-std", "--tz", "UTC")
        #expect(average.objects("statistics").map { $0["count"] as? Int } == [1], "\(average.output)")
    }

    @Test func anUnknownName_IsSaid() async throws {
        try await fill()
        let run = try await cuff("show", "--device", "halway")
        #expect(run.status == 0 && run.output.isEmpty)
        #expect(run.errors.contains("no reading of a cuff `halway` is stored; did you mean `hallway`?"), "\(run.errors)")
        #expect(try await cuff("show", "--device", "hallway").errors.isEmpty)
    }

    /// The options of the hint leave one person.
    @Test func theHintOfAnExport_IsTrue() async throws {
        try await fill()
        let refused = try await cuff("export", "--format", "omh", "--tz", "UTC")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("add --device NAME for one cuff (and-std, hallway, manual)"), "\(refused.errors)")
        #expect(!refused.errors.contains("--user none"), "\(refused.errors)")
        for name in ["and-std", "hallway", "manual"] {
            let run = try await cuff("export", "--format", "omh", "--tz", "UTC", "--device", name)
            #expect(run.status == 0, "\(name): \(run.errors)")
        }
    }

    @Test func theHint_OffersWhatLeavesOnePerson() {
        func hint(_ persons: Person...) -> String { SelectionFault.severalPersons(what: "x", persons: Persons(persons)).hint }
        #expect(
            hint(.unnamed(slot: 1, cuff: "a"), .unnamed(slot: nil, cuff: "a"))
                == "add --user NUMBER, or --user none for those without a user")
        #expect(
            hint(.unnamed(slot: 1, cuff: "a"), .unnamed(slot: 1, cuff: "b"))
                == "add --device NAME for one cuff (a, b); --together takes the same user of all cuffs as one person")
        // Readings that were typed in for Anna have no number.
        #expect(hint(.named("Anna"), .unnamed(slot: nil, cuff: "a")) == "add --user 'Anna'")
    }
}

import CuffCore
import Testing

@testable import CuffClinical

/// The tables of the guidelines at their limits; means are exact, so any mean below a limit is below it.
@Suite struct ClassTests {
    private func name(_ guideline: String, _ setting: PressureSetting, _ systolic: Int, _ diastolic: Int) throws -> String {
        let table = try #require(PressureGuideline.named(guideline)?.classes[setting])
        return table.name(table.rank(Fraction(Int64(systolic)), Fraction(Int64(diastolic))))
    }

    @Test(arguments: [
        ("nice-ng136", 134, 84, "below stage 1"), ("nice-ng136", 135, 84, "in the range of stage 1"),
        ("nice-ng136", 134, 85, "in the range of stage 1"),
        ("nice-ng136", 149, 94, "in the range of stage 1"), ("nice-ng136", 150, 70, "in the range of stage 2"),
        ("nice-ng136", 120, 95, "in the range of stage 2"),
        ("esh-2021", 129, 79, "normal"), ("esh-2021", 130, 79, "borderline"), ("esh-2021", 120, 84, "borderline"),
        ("esh-2021", 120, 85, "hypertension"), ("esc-2024", 119, 69, "non-elevated"), ("esc-2024", 110, 70, "elevated"),
        ("esc-2024", 134, 84, "elevated"), ("esc-2024", 135, 60, "hypertension"), ("acc-aha-2017", 119, 79, "normal"),
        ("acc-aha-2017", 120, 79, "elevated"), ("acc-aha-2017", 119, 80, "stage 1"), ("acc-aha-2017", 130, 70, "stage 1"),
        ("acc-aha-2017", 134, 84, "stage 1"), ("acc-aha-2025", 135, 70, "stage 2"), ("jsh-2019", 114, 74, "normal"),
        ("jsh-2019", 115, 74, "high-normal"), ("jsh-2019", 114, 75, "elevated"), ("jsh-2019", 125, 60, "elevated"),
        ("jsh-2019", 135, 60, "grade I"), ("jsh-2019", 144, 90, "grade II"), ("jsh-2019", 159, 99, "grade II"),
        ("jsh-2019", 160, 60, "grade III"), ("jsh-2019", 110, 100, "grade III"),
    ]) func home(_ guideline: String, _ systolic: Int, _ diastolic: Int, _ expected: String) throws {
        #expect(try name(guideline, .home, systolic, diastolic) == expected)
    }

    @Test(arguments: [
        ("esh-2023", 119, 79, "optimal"), ("esh-2023", 110, 80, "normal"), ("esh-2023", 120, 70, "normal"),
        ("esh-2023", 130, 70, "high-normal"), ("esh-2023", 110, 89, "high-normal"), ("esh-2023", 140, 70, "grade 1"),
        ("esc-esh-2018", 159, 100, "grade 2"), ("esc-esh-2018", 180, 70, "grade 3"), ("esc-esh-2018", 120, 110, "grade 3"),
        ("esc-2024", 119, 69, "non-elevated"), ("esc-2024", 139, 89, "elevated"), ("esc-2024", 139, 90, "hypertension"),
        ("acc-aha-2017", 139, 89, "stage 1"), ("acc-aha-2017", 140, 70, "stage 2"), ("acc-aha-2017", 180, 120, "stage 2"),
        ("acc-aha-2017", 181, 90, "stage 2"), ("acc-aha-2025", 150, 121, "stage 2"), ("nice-ng136", 179, 120, "stage 3 or severe"),
        ("nice-ng136", 180, 80, "stage 3 or severe"), ("nice-ng136", 179, 119, "in the range of stage 2"),
        ("jsh-2019", 129, 79, "high-normal"),
        ("jsh-2019", 129, 80, "elevated"), ("jsh-2019", 160, 80, "grade II"), ("jsh-2019", 150, 110, "grade III"),
    ]) func office(_ guideline: String, _ systolic: Int, _ diastolic: Int, _ expected: String) throws {
        #expect(try name(guideline, .office, systolic, diastolic) == expected)
    }

    @Test func isolatedSystolic_IsItsOwnRemark() throws {
        let home = try #require(PressureGuideline.named("jsh-2019")?.classes[.home])
        let atHome = try #require(home.isolated.first { $0.isSystolic })
        #expect(atHome.holds(Fraction(135), Fraction(84)))
        #expect(!atHome.holds(Fraction(135), Fraction(85)) && !atHome.holds(Fraction(134), Fraction(80)))
        let office = try #require(PressureGuideline.named("esh-2023")?.classes[.office])
        let inOffice = try #require(office.isolated.first { $0.isSystolic })
        #expect(inOffice.holds(Fraction(140), Fraction(89)) && !inOffice.holds(Fraction(140), Fraction(90)))
        #expect(try #require(PressureGuideline.named("esc-2024")?.classes[.home]).isolated.isEmpty)
    }

    @Test func aHairBelowABorder_IsBelowIt() throws {
        let table = try #require(PressureGuideline.named("nice-ng136")?.classes[.home])
        let below = try #require(Fraction(134_999_999, over: 1_000_000))
        #expect(table.name(table.rank(below, Fraction(80))) == "below stage 1")
        #expect(below.printed(near: 135) == "134.999999")
    }
}

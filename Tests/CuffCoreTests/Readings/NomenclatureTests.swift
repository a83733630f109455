import Testing

@testable import CuffCore

/// The table of terms, with the codes of other systems.
@Suite struct NomenclatureTests {
    @Test func rows_StandInTheOrderOfTheirCodes() {
        let terms = NomenclatureTerm.all.map(\.code)
        #expect(zip(terms, terms.dropFirst()).allSatisfy { $0 < $1 })
        let units = NomenclatureUnit.all.map(\.code)
        #expect(zip(units, units.dropFirst()).allSatisfy { $0 < $1 })
        // Printed units parse to the same unit.
        for unit in NomenclatureUnit.all { #expect(Nomenclature.unitTerm(unit.printed.description).map { UInt32($0) } == unit.code) }
        #expect(Set(NomenclatureTerm.all.map(\.name.description)).count == terms.count)
    }

    @Test func unknownTerms_StayNumbers() {
        #expect(Nomenclature.name(partition: 2, term: 0xF001) == nil && Nomenclature.name(partition: 0, term: 0) == nil)
        #expect(Nomenclature.name(partition: 0xFFFF, term: 0xFFFF) == nil)
        #expect(Nomenclature.unit(0) == nil && Nomenclature.ucum(0xFFFF) == nil && Nomenclature.unit(513) == nil)
    }

    /// Codes from loinc.org and ucum.org.
    @Test(arguments: [
        (UInt16(2), UInt16(18949), UInt16(3872), "8480-6", "mm[Hg]"), (2, 18474, 2720, "8867-4", "/min"),
        (2, 57664, 1731, "29463-7", "kg"), (2, 57668, 1297, "8302-2", "cm"), (2, 57680, 1952, "39156-5", "kg/m2"),
        (2, 19292, 6048, "8310-5", "Cel"), (2, 19384, 544, "59408-5", "%"), (2, 29112, 2130, "41653-7", "mg/dL"),
        (2, 29112, 4722, "14743-9", "mmol/L"), (2, 57676, 544, "41982-0", "%"), (2, 21512, 3072, "19935-6", "L/min"),
        (2, 29188, 512, "34714-6", "1"),
    ])
    func loincAndUCUM(_ partition: UInt16, _ term: UInt16, _ unit: UInt16, _ loinc: String, _ ucum: String) {
        let quantity = Quantity(partition: partition, term: term, value: Digits(1), unit: unit)
        #expect(Nomenclature.loinc(mdc: quantity.mdc, unit: quantity.unit)?.description == loinc)
        #expect(Nomenclature.ucum(unit)?.description == ucum)
    }

    /// LOINC distinguishes fraction, mass and amount; a control solution is not a specimen.
    @Test func otherUnits_HaveNoCodeOfAnotherProperty() {
        #expect(Nomenclature.loinc(mdc: 2 << 16 | 57676, unit: 1731) == nil)
        #expect(Nomenclature.loinc(mdc: 2 << 16 | 29112, unit: 512) == nil)
        #expect(Nomenclature.loinc(mdc: 2 << 16 | 29136, unit: 2130) == nil)
        #expect(Nomenclature.ucum(6848) == nil && Nomenclature.unit(6848)?.description == "tick")
    }
}

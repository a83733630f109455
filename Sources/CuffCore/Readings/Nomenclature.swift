/// Names of the IEEE 11073-10101 terms used by agents in the field, with their LOINC and UCUM codes. Unknown terms stay numbers.
public enum Nomenclature {
    /// Partition 4: dimensions, i.e. units.
    public static let dimensions: UInt32 = 4

    /// The reference id of a term, e.g. `MDC_PRESS_BLD_NONINV_SYS`; `nil` if not listed.
    public static func name(partition: UInt16, term: UInt16) -> StaticString? { row(UInt32(partition) << 16 | UInt32(term))?.name }

    /// The LOINC code of a metric in this unit (a term of partition 4), e.g. `29463-7` for body mass; for blood pressure, the panel's.
    public static func loinc(mdc: UInt32, unit: UInt16) -> StaticString? {
        row(mdc)?.loincs.first { $0.unit == 0 || $0.unit == unit }?.code
    }

    /// The printed unit of a term of partition 4 (dimensions).
    public static func unit(_ term: UInt16) -> StaticString? { unitRow(term)?.printed }

    /// The UCUM code of a unit of partition 4, e.g. `mm[Hg]`; `nil` if unknown.
    public static func ucum(_ term: UInt16) -> StaticString? { unitRow(term)?.ucum }

    /// The printed unit, or `MDC` and its context-free code; `nil` without a unit.
    public static func unitText(_ quantity: Quantity) -> String? {
        unit(quantity.unit)?.description ?? quantity.unitCode.map { "MDC \($0)" }
    }

    /// The term of a printed unit; `nil` if not listed.
    public static func unitTerm(_ unit: String) -> UInt16? {
        NomenclatureUnit.all.first { $0.printed.description == unit }.map { UInt16(truncatingIfNeeded: $0.code) }
    }

    private static func row(_ code: UInt32) -> NomenclatureTerm? { find(code, NomenclatureTerm.all) { $0.code } }
    private static func unitRow(_ term: UInt16) -> NomenclatureUnit? { find(UInt32(term), NomenclatureUnit.all) { $0.code } }

    /// Binary search; rows are sorted by code.
    private static func find<Row>(_ code: UInt32, _ rows: [Row], _ key: (Row) -> UInt32) -> Row? {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if key(rows[middle]) < code { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && key(rows[low]) == code ? rows[low] : nil
    }
}

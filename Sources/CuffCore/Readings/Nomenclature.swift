/// Names of IEEE 11073-10101 terms that agents in the field use, and no others. An unknown term stays a number.
///
/// Source for every row: signove/antidote `src/dim/nomenclature.h` and folterj/IEEE11073Analyser `phd/nomenclature.h`.
public enum Nomenclature {
    /// Partition 2: supervisory control and data acquisition, i.e. metrics.
    public static let metrics: UInt16 = 2
    /// Partition 4: dimensions, i.e. units.
    public static let dimensions: UInt32 = 4

    /// The reference id of a term, e.g. `MDC_PRESS_BLD_NONINV_SYS`; `nil` for one that is not listed.
    public static func name(partition: UInt16, term: UInt16) -> StaticString? {
        switch (partition, term) {
        case (2, 18948): "MDC_PRESS_BLD_NONINV"
        case (2, 18949): "MDC_PRESS_BLD_NONINV_SYS"
        case (2, 18950): "MDC_PRESS_BLD_NONINV_DIA"
        case (2, 18951): "MDC_PRESS_BLD_NONINV_MEAN"
        case (2, 18474): "MDC_PULS_RATE_NON_INV"
        case (2, 18458): "MDC_PULS_OXIM_PULS_RATE"
        case (2, 19384): "MDC_PULS_OXIM_SAT_O2"
        case (2, 19376): "MDC_PULS_OXIM_PERF_REL"
        case (2, 19380): "MDC_PULS_OXIM_PLETH"
        case (2, 57664): "MDC_MASS_BODY_ACTUAL"
        case (2, 57668): "MDC_LEN_BODY_ACTUAL"
        case (2, 57680): "MDC_RATIO_MASS_BODY_LEN_SQ"
        case (2, 57676): "MDC_BODY_FAT"
        case (2, 19292): "MDC_TEMP_BODY"
        case (2, 29112): "MDC_CONC_GLU_CAPILLARY_WHOLEBLOOD"
        case (2, 29116): "MDC_CONC_GLU_CAPILLARY_PLASMA"
        case (128, 22000): "MDC_BLOOD_PRESSURE_MEASUREMENT_STATUS"
        default: nil
        }
    }

    /// The printed unit of a term of partition 4 (dimensions).
    public static func unit(_ term: UInt16) -> StaticString? {
        switch term {
        case 512: "1"
        case 544: "%"
        case 1297: "cm"
        case 1376: "in"
        case 1618: "mL"
        case 1728: "g"
        case 1731: "kg"
        case 1746: "mg"
        case 1760: "lb"
        case 1952: "kg/m2"
        case 2130: "mg/dL"
        case 2208: "min"
        case 2240: "h"
        case 2272: "d"
        case 2496: "Hz"
        case 2720: "/min"
        case 3843: "kPa"
        case 3872: "mmHg"
        case 3968: "J"
        case 4416: "degF"
        case 4722: "mmol/L"
        case 5472: "[IU]"
        case 6048: "Cel"
        case 6656: "step"
        case 6784: "cal"
        default: nil
        }
    }

    /// A unit for people: its printed form, or `MDC` and its context-free code where it has none; `nil` without a unit.
    public static func unitText(_ quantity: Quantity) -> String? {
        unit(quantity.unit)?.description ?? quantity.unitCode.map { "MDC \($0)" }
    }

    /// The term of a printed unit; `nil` for one that is not listed.
    public static func unitTerm(_ unit: String) -> UInt16? {
        for term in stride(from: UInt16(512), through: 6816, by: 1) where self.unit(term)?.description == unit { return term }
        return nil
    }
}

/// The terms used by agents in the field, sorted by code. Names and codes: signove/antidote `src/dim/nomenclature.h`,
/// folterj/IEEEAgentManager `AgentManager/nomenclature.h` (glucose and its contexts, medication), conqlima/Antidote `src/specializations`
/// (thermometer, ECG) and the table `Mdc` of Lamprey Networks' FHIR encoder (INR, spirometry, body composition, activity). LOINC:
/// loinc.org, the codes' pages; only for metrics with the same meaning, i.e. the same property of the same specimen or place.
struct NomenclatureTerm: Sendable {
    let code: UInt32
    let name: StaticString
    /// LOINC codes with the unit of the value; 0: any.
    let loincs: [(code: StaticString, unit: UInt16)]

    init(_ partition: UInt16, _ term: UInt16, _ name: StaticString, _ loinc: StaticString? = nil) {
        code = UInt32(partition) << 16 | UInt32(term)
        self.name = name
        loincs = loinc.map { [(code: $0, unit: UInt16(0))] } ?? []
    }

    /// LOINC distinguishes masses, moles and fractions of a substance.
    init(_ partition: UInt16, _ term: UInt16, _ name: StaticString, by loincs: [(code: StaticString, unit: UInt16)]) {
        code = UInt32(partition) << 16 | UInt32(term)
        self.name = name
        self.loincs = loincs
    }

    static let all: [NomenclatureTerm] = vitalSigns + laboratory + places + diseaseManagement + fitness + ageing + own

    /// Partition 2: hearts, pressures, oxygen, breath.
    private static let vitalSigns: [NomenclatureTerm] = [
        .init(2, 256, "MDC_ECG_ELEC_POTL"),
        .init(2, 257, "MDC_ECG_ELEC_POTL_I"),
        .init(2, 258, "MDC_ECG_ELEC_POTL_II"),
        .init(2, 16160, "MDC_ECG_TIME_PD_QT_GL"),
        .init(2, 16168, "MDC_ECG_TIME_PD_RR_GL"),
        .init(2, 16770, "MDC_ECG_HEART_RATE", "8867-4"),
        .init(2, 18458, "MDC_PULS_OXIM_PULS_RATE", "8867-4"),
        .init(2, 18474, "MDC_PULS_RATE_NON_INV", "8867-4"),
        .init(2, 18948, "MDC_PRESS_BLD_NONINV", "85354-9"),
        .init(2, 18949, "MDC_PRESS_BLD_NONINV_SYS", "8480-6"),
        .init(2, 18950, "MDC_PRESS_BLD_NONINV_DIA", "8462-4"),
        .init(2, 18951, "MDC_PRESS_BLD_NONINV_MEAN", "8478-0"),
        .init(2, 19248, "MDC_SAT_O2_QUAL"),
        .init(2, 19292, "MDC_TEMP_BODY", "8310-5"),
        .init(2, 19320, "MDC_TEMP_TYMP", "8310-5"),
        .init(2, 19376, "MDC_PULS_OXIM_PERF_REL"),
        .init(2, 19380, "MDC_PULS_OXIM_PLETH"),
        .init(2, 19384, "MDC_PULS_OXIM_SAT_O2", "59408-5"),
        .init(2, 19508, "MDC_MODALITY_FAST"),
        .init(2, 19512, "MDC_MODALITY_SLOW"),
        .init(2, 19516, "MDC_MODALITY_SPOT"),
        .init(2, 19532, "MDC_PULS_OXIM_DEV_STATUS"),
        .init(2, 20490, "MDC_RESP_RATE", "9279-1"),
        .init(2, 21512, "MDC_FLOW_AWAY_EXP_FORCED_PEAK", "19935-6"),
        .init(2, 21513, "MDC_FLOW_AWAY_EXP_FORCED_PEAK_PB"),
        .init(2, 21514, "MDC_VOL_AWAY_EXP_FORCED_1S", "20150-9"),
        .init(2, 21515, "MDC_VOL_AWAY_EXP_FORCED_6S"),
    ]

    /// Partition 2: blood.
    private static let laboratory: [NomenclatureTerm] = [
        .init(2, 28948, "MDC_CONC_GLU_GEN"),
        .init(2, 29112, "MDC_CONC_GLU_CAPILLARY_WHOLEBLOOD", by: [("41653-7", 2130), ("14743-9", 4722)]),
        .init(2, 29116, "MDC_CONC_GLU_CAPILLARY_PLASMA"),
        .init(2, 29120, "MDC_CONC_GLU_VENOUS_WHOLEBLOOD"),
        .init(2, 29124, "MDC_CONC_GLU_VENOUS_PLASMA"),
        .init(2, 29128, "MDC_CONC_GLU_ARTERIAL_WHOLEBLOOD"),
        .init(2, 29132, "MDC_CONC_GLU_ARTERIAL_PLASMA"),
        // A control solution is not a specimen of a person.
        .init(2, 29136, "MDC_CONC_GLU_CONTROL"),
        .init(2, 29140, "MDC_CONC_GLU_ISF"),
        .init(2, 29148, "MDC_CONC_HBA1C", by: [("4548-4", 544)]),
        .init(2, 29188, "MDC_RATIO_INR_COAG", "34714-6"),
        .init(2, 29192, "MDC_TIME_PD_COAG"),
        .init(2, 29196, "MDC_QUICK_VALUE_COAG"),
        .init(2, 29200, "MDC_ISI_COAG"),
        .init(2, 29204, "MDC_COAG_CONTROL"),
    ]

    /// Partition 2: temperatures of places, and the body as a whole.
    private static let places: [NomenclatureTerm] = [
        .init(2, 53250, "MDC_TRIG"),
        .init(2, 53251, "MDC_TRIG_BEAT"),
        .init(2, 57348, "MDC_TEMP_RECT", "8310-5"),
        .init(2, 57352, "MDC_TEMP_ORAL", "8310-5"),
        .init(2, 57356, "MDC_TEMP_EAR"),
        .init(2, 57360, "MDC_TEMP_FINGER"),
        .init(2, 57376, "MDC_TEMP_TOE"),
        .init(2, 57380, "MDC_TEMP_AXILLA", "8310-5"),
        .init(2, 57384, "MDC_TEMP_GIT"),
        .init(2, 57664, "MDC_MASS_BODY_ACTUAL", "29463-7"),
        .init(2, 57668, "MDC_LEN_BODY_ACTUAL", "8302-2"),
        .init(2, 57676, "MDC_BODY_FAT", by: [("41982-0", 544)]),
        .init(2, 57680, "MDC_RATIO_MASS_BODY_LEN_SQ", "39156-5"),
        .init(2, 57684, "MDC_MASS_BODY_FAT_FREE"),
        .init(2, 57688, "MDC_MASS_BODY_SOFT_LEAN"),
        .init(2, 57692, "MDC_BODY_WATER"),
        .init(2, 61439, "MDC_METRIC_NOS"),
    ]

    /// Partition 128: statuses and glucose meter contexts.
    private static let diseaseManagement: [NomenclatureTerm] = [
        .init(128, 22000, "MDC_BLOOD_PRESSURE_MEASUREMENT_STATUS"),
        .init(128, 29144, "MDC_GLU_METER_DEV_STATUS"),
        .init(128, 29152, "MDC_CTXT_GLU_EXERCISE"),
        .init(128, 29156, "MDC_CTXT_GLU_CARB"),
        .init(128, 29160, "MDC_CTXT_GLU_CARB_BREAKFAST"),
        .init(128, 29164, "MDC_CTXT_GLU_CARB_LUNCH"),
        .init(128, 29168, "MDC_CTXT_GLU_CARB_DINNER"),
        .init(128, 29172, "MDC_CTXT_GLU_CARB_SNACK"),
        .init(128, 29176, "MDC_CTXT_GLU_CARB_DRINK"),
        .init(128, 29180, "MDC_CTXT_GLU_CARB_SUPPER"),
        .init(128, 29184, "MDC_CTXT_GLU_CARB_BRUNCH"),
        .init(128, 29188, "MDC_CTXT_MEDICATION"),
        .init(128, 29192, "MDC_CTXT_MEDICATION_RAPIDACTING"),
        .init(128, 29196, "MDC_CTXT_MEDICATION_SHORTACTING"),
        .init(128, 29200, "MDC_CTXT_MEDICATION_INTERMEDIATEACTING"),
        .init(128, 29204, "MDC_CTXT_MEDICATION_LONGACTING"),
        .init(128, 29208, "MDC_CTXT_MEDICATION_PREMIX"),
        .init(128, 29212, "MDC_CTXT_GLU_HEALTH"),
        .init(128, 29236, "MDC_CTXT_GLU_SAMPLELOCATION"),
        .init(128, 29240, "MDC_CTXT_GLU_SAMPLELOCATION_FINGER"),
        .init(128, 29244, "MDC_CTXT_GLU_SAMPLELOCATION_AST"),
        .init(128, 29248, "MDC_CTXT_GLU_SAMPLELOCATION_EARLOBE"),
        .init(128, 29252, "MDC_CTXT_GLU_SAMPLELOCATION_CTRLSOLUTION"),
        .init(128, 29256, "MDC_CTXT_GLU_MEAL"),
        .init(128, 29260, "MDC_CTXT_GLU_MEAL_PREPRANDIAL"),
        .init(128, 29264, "MDC_CTXT_GLU_MEAL_POSTPRANDIAL"),
        .init(128, 29268, "MDC_CTXT_GLU_MEAL_FASTING"),
        .init(128, 29272, "MDC_CTXT_GLU_MEAL_CASUAL"),
        .init(128, 29276, "MDC_CTXT_GLU_TESTER"),
        .init(128, 29280, "MDC_CTXT_GLU_TESTER_SELF"),
        .init(128, 29284, "MDC_CTXT_GLU_TESTER_HCP"),
        .init(128, 29288, "MDC_CTXT_GLU_TESTER_LAB"),
        .init(128, 30720, "MDC_PEFM_READING_STATUS"),
    ]

    /// Partition 129: health and fitness.
    private static let fitness: [NomenclatureTerm] = [
        .init(129, 100, "MDC_HF_ALT_GAIN"),
        .init(129, 101, "MDC_HF_ALT_LOSS"),
        .init(129, 102, "MDC_HF_ALT"),
        .init(129, 103, "MDC_HF_DISTANCE"),
        .init(129, 104, "MDC_HF_ASC_TME_DIST"),
        .init(129, 105, "MDC_HF_DESC_TIME_DIST"),
        .init(129, 106, "MDC_HF_LATITUDE"),
        .init(129, 107, "MDC_HF_LONGITUDE"),
        .init(129, 108, "MDC_HF_PROGRAM_ID"),
        .init(129, 109, "MDC_HF_SLOPES"),
        .init(129, 110, "MDC_HF_SPEED"),
        .init(129, 111, "MDC_HF_CAD"),
        .init(129, 112, "MDC_HF_INCLINE"),
        .init(129, 113, "MDC_HF_HR_MAX_USER"),
        .init(129, 114, "MDC_HF_HR", "8867-4"),
        .init(129, 115, "MDC_HF_POWER"),
        .init(129, 116, "MDC_HF_RESIST"),
        .init(129, 117, "MDC_HF_STRIDE"),
        .init(129, 119, "MDC_HF_ENERGY"),
        .init(129, 120, "MDC_HF_CAL_INGEST"),
        .init(129, 121, "MDC_HF_CAL_INGEST_CARB"),
        .init(129, 122, "MDC_HF_SUST_PA_THRESHOLD"),
        .init(129, 123, "MDC_HF_SESSION"),
        .init(129, 124, "MDC_HF_SUBSESSION"),
    ]

    /// Partition 130: ageing independently.
    private static let ageing: [NomenclatureTerm] = [
        .init(130, 13312, "MDC_AI_MED_DISPENSED_FIXED"),
        .init(130, 13313, "MDC_AI_MED_DISPENSED_VARIABLE"),
        .init(130, 13314, "MDC_AI_MED_STATUS"),
        .init(130, 13315, "MDC_AI_MED_FEEDBACK"),
        .init(130, 13316, "MDC_AI_MED_UF_LOCATION"),
        .init(130, 13317, "MDC_AI_MED_UF_RESPONSE"),
        .init(130, 13318, "MDC_AI_MED_UF_TYPE_YESNO"),
        .init(130, 13319, "MDC_AI_MED_UF_TYPE_1_5"),
        .init(130, 13320, "MDC_AI_MED_UF_TYPE_1_100"),
        .init(130, 13321, "MDC_AI_MED_DISPENSED_TAKEN"),
    ]

    /// Partition 1024, private (IEEE 11073-20601, NomPartition): this program's own terms; agents are not known to use these numbers.
    private static let own: [NomenclatureTerm] = [
        .init(1024, 0xC0F1, "CUFF_AUDIO_EXPOSURE_ENVIRONMENT"),
        .init(1024, 0xC0F2, "CUFF_AUDIO_EXPOSURE_HEADPHONES"),
        .init(1024, 0xC0F3, "CUFF_AUDIOGRAM"),
        .init(1024, 0xC0F4, "CUFF_DIZZINESS"),
        .init(1024, 0xC0F5, "CUFF_HEADACHE"),
        .init(1024, 0xC0F6, "CUFF_FAINTING"),
        .init(1024, 0xC0F7, "CUFF_CHEST_PAIN"),
        .init(1024, 0xC0F8, "CUFF_SHORTNESS_OF_BREATH"),
        .init(1024, 0xC0F9, "CUFF_PALPITATIONS"),
    ]
}

/// The units of partition 4, sorted by code, with printed form and UCUM code (ucum.org). Sources as for `NomenclatureTerm`. Peak flows in
/// cL/s: HL7's FHIR example observation-example-spirometry.
struct NomenclatureUnit: Sendable {
    let code: UInt32
    let printed: StaticString
    /// `nil` if UCUM has no code.
    let ucum: StaticString?

    init(_ term: UInt16, _ printed: StaticString, _ ucum: StaticString?) {
        code = UInt32(term)
        self.printed = printed
        self.ucum = ucum
    }

    static let all: [NomenclatureUnit] = [
        .init(512, "1", "1"), .init(544, "%", "%"), .init(736, "deg", "deg"), .init(992, "pH", "[pH]"), .init(1280, "m", "m"),
        .init(1297, "cm", "cm"), .init(1344, "ft", "[ft_i]"), .init(1376, "in", "[in_i]"), .init(1600, "L", "L"),
        .init(1617, "cL", "cL"), .init(1618, "mL", "mL"), .init(1728, "g", "g"), .init(1731, "kg", "kg"), .init(1746, "mg", "mg"),
        .init(1760, "lb", "[lb_av]"), .init(1952, "kg/m2", "kg/m2"), .init(2130, "mg/dL", "mg/dL"), .init(2176, "s", "s"),
        .init(2194, "ms", "ms"), .init(2195, "us", "us"), .init(2208, "min", "min"), .init(2240, "h", "h"), .init(2272, "d", "d"),
        .init(2368, "a", "a"), .init(2496, "Hz", "Hz"), .init(2720, "/min", "/min"), .init(2784, "resp/min", "/min"),
        .init(2816, "m/s", "m/s"), .init(3057, "cL/s", "cL/s"), .init(3072, "L/min", "L/min"), .init(3842, "hPa", "hPa"),
        .init(3843, "kPa", "kPa"), .init(3872, "mmHg", "mm[Hg]"), .init(3968, "J", "J"), .init(4032, "W", "W"), .init(4256, "V", "V"),
        .init(4274, "mV", "mV"), .init(4288, "Ohm", "Ohm"), .init(4384, "K", "K"), .init(4416, "degF", "[degF]"),
        .init(4722, "mmol/L", "mmol/L"), .init(5472, "[IU]", "[iU]"), .init(5696, "[IU]/h", "[iU]/h"), .init(6048, "Cel", "Cel"),
        .init(6560, "m/min", "m/min"), .init(6608, "INR", "{INR}"), .init(6656, "step", "{steps}"), .init(6752, "step/min", "{steps}/min"),
        .init(6784, "cal", "cal"), .init(6816, "rpm", "{rotations}/min"), .init(6848, "tick", nil), .init(8384, "Cal", "[Cal]"),
        // A private term (F000 to FFFF) of this program: A-weighted sound pressure level, without a UCUM code.
        .init(0xFDBA, "dBA", nil),
    ]
}

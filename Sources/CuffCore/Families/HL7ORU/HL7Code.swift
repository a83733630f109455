/// The meaning of an observation by its code and text.
struct HL7Code: Sendable, Hashable {
    enum Role: Sendable, Hashable {
        case systolic, diastolic, mean
        /// A pulse of the cuff itself.
        case cuffPulse
        /// A pulse of the spot record.
        case pulse

        var isPressure: Bool { self == .systolic || self == .diastolic || self == .mean }
    }

    var role: Role
    /// Code and text contradict each other; the text was used.
    var isDoubtful = false

    private enum Site { case cuff, anywhere }

    /// 150017…150019 are blood pressures of any site.
    private static let nomenclature: [Int: (role: Role, site: Site)] = [
        150021: (.systolic, .cuff), 150022: (.diastolic, .cuff), 150023: (.mean, .cuff),
        150301: (.systolic, .cuff), 150302: (.diastolic, .cuff), 150303: (.mean, .cuff),
        150017: (.systolic, .anywhere), 150018: (.diastolic, .anywhere), 150019: (.mean, .anywhere),
        149546: (.cuffPulse, .cuff), 149522: (.pulse, .cuff),
    ]
    /// LOINC has no site for these; the monitors that send them mean the cuff.
    private static let loinc: [String: Role] = [
        "8480-6": .systolic, "8462-4": .diastolic, "8478-0": .mean, "8867-4": .pulse,
    ]
    private static let mindray: [Int: Role] = [170: .systolic, 171: .diastolic, 172: .mean, 173: .cuffPulse]
    private static let edan: [Int: Role] = [393216: .systolic, 393217: .diastolic, 393218: .mean, 393219: .cuffPulse]
    private static let philips: [String: Role] = ["0002-4A05": .systolic, "0002-4A06": .diastolic, "0002-4A07": .mean]

    /// Parses OBX-3: `code^text^system`, possibly repeated for another system. `nil`: not of the cuff, or an arterial line.
    init?(_ components: [[UInt8]], isMindray: Bool) {
        var found: HL7Code?
        for start in [0, 3] where components.count > start {
            func part(_ index: Int) -> [UInt8] { start + index < components.count ? components[start + index] : [] }
            let text = HL7Text(part(1))
            // An arterial text with a cuff's code is arterial, and an arterial code with a cuff's text is rejected too.
            if text.isArterial { return nil }
            if found == nil { found = Self.read(part(0), text, String(decoding: part(2), as: UTF8.self).uppercased(), isMindray) }
        }
        guard let found else { return nil }
        self = found
    }

    private init(_ role: Role, isDoubtful: Bool = false) {
        self.role = role
        self.isDoubtful = isDoubtful
    }

    private static func read(_ code: [UInt8], _ text: HL7Text, _ system: String, _ isMindray: Bool) -> HL7Code? {
        let number = code.span.digits(0, code.count)
        let known = isMindray ? number.flatMap { mindray[$0] }.map { ($0, .cuff) } : lookUp(code, number, system)
        if let known, !known.role.isPressure { return HL7Code(known.role) }
        if let known, text.isOfCuff {
            let role = text.role ?? known.role
            return HL7Code(role, isDoubtful: known.site != .cuff || role != known.role)
        }
        // Another nomenclature code with the name of the cuff's pressure; other texts may be limits or settings.
        if known == nil, number != nil, system == "MDC", text.isNameOfCuffPressure, let role = text.role {
            return HL7Code(role, isDoubtful: true)
        }
        guard let known, known.site == .cuff, !text.namesOtherSite else { return nil }
        let role = text.role ?? known.role
        return HL7Code(role, isDoubtful: role != known.role || text.isSiteless)
    }

    private static func lookUp(_ code: [UInt8], _ number: Int?, _ system: String) -> (role: Role, site: Site)? {
        let text = String(decoding: code, as: UTF8.self).uppercased()
        return switch system {
        case "MDC": number.flatMap { nomenclature[$0] }
        case "LN": loinc[text].map { ($0, .cuff) }
        case "EHC": number.flatMap { edan[$0] }.map { ($0, .cuff) }
        case "MDIL": philips[text].map { ($0, .cuff) }
        case "": number.map { nomenclature[$0] } ?? loinc[text].map { ($0, .cuff) }
        default: nil
        }
    }
}

struct HL7Text {
    private let words: [String]
    /// Longer texts are not names of values; their rest is ignored.
    private static let longest = 256

    init(_ text: [UInt8]) {
        words = String(decoding: text.prefix(Self.longest), as: UTF8.self).uppercased()
            .split { !($0.isLetter || $0.isNumber) }
            // Monitors number their invasive channels: ART1, IBP2, P1.
            .map { word in word.last?.isNumber == true && word.first?.isLetter == true ? Self.unnumbered(word) : String(word) }
    }

    private static func unnumbered(_ word: Substring) -> String {
        let name = word.prefix { !$0.isNumber }
        return name == "P" ? "IBP" : String(name)
    }

    private func has(_ any: Set<String>) -> Bool { words.contains { any.contains($0) } }

    var isOfCuff: Bool { has(["NONINV", "CUFF", "NIBP", "NBP", "NBPS", "NBPD", "NBPM", "NONINVASIVE"]) || isNonInvasive }

    private var isNonInvasive: Bool {
        words.indices.contains { words[$0] == "NON" && $0 + 1 < words.count && words[$0 + 1].hasPrefix("INV") }
    }

    var isArterial: Bool {
        has(Self.invasiveSites) || !isNonInvasive && has(["INVASIVE", "INV", "INVP"])
    }

    /// Names of invasive channels. PA is not among them: in several languages it stands for blood pressure.
    private static let invasiveSites: Set<String> = [
        "ART", "ABP", "ARTERIAL", "ARTERIALBP", "ARTERY", "IBP", "ARTS", "ARTD", "ARTM", "ABPS", "ABPD", "ABPM", "PAP", "PAPS", "PAPD",
        "PAPM", "FAP", "UAP", "BAP", "AO", "CVP", "ICP", "LAP", "RAP",
    ]

    private var isReferenceID: Bool { words.starts(with: ["MDC", "PRESS"]) }
    private var site: [String] { words.filter { !["MDC", "PRESS", "BLD", "SYS", "DIA", "MEAN"].contains($0) } }
    var isNameOfCuffPressure: Bool { isReferenceID && (site == ["NONINV"] || site == ["CUFF"]) }
    var namesOtherSite: Bool { isReferenceID && !isOfCuff && !site.isEmpty }
    var isSiteless: Bool { isReferenceID && site.isEmpty }

    var role: HL7Code.Role? {
        let named: [(HL7Code.Role, Set<String>)] = [
            (.systolic, ["SYS", "SYST", "SYSTOLIC", "NBPS"]), (.diastolic, ["DIA", "DIAS", "DIAST", "DIASTOLIC", "NBPD"]),
            (.mean, ["MEAN", "MAP", "NBPM"]),
        ]
        let roles = named.filter { has($0.1) }.map(\.0)
        return roles.count == 1 ? roles[0] : nil
    }
}

enum HL7Unit: Equatable {
    case pressure(PressureUnit), perMinute
    case unstated
    case other

    init(_ components: [[UInt8]]) {
        let units = components.prefix(2).compactMap { Self.named(String(decoding: $0.prefix(32), as: UTF8.self)) }
        let isStated = components.contains { !$0.isEmpty }
        self = !isStated ? .unstated : units.first == units.last ? units.first ?? .other : .other
    }

    private static func named(_ text: String) -> HL7Unit? {
        switch text.uppercased() {
        case "266016", "MDC_DIM_MMHG", "MMHG", "MM[HG]", "MM HG": .pressure(.mmHg)
        case "266015", "265987", "MDC_DIM_KILO_PASCAL", "KPA": .pressure(.kPa)
        case "264864", "MDC_DIM_BEAT_PER_MIN", "264896", "MDC_DIM_PER_MIN", "BPM", "/MIN", "1/MIN", "{BEATS}/MIN", "BEATS/MIN":
            .perMinute
        default: nil
        }
    }
}

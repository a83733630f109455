import CuffIngest

extension AnonymisingFault: Hinted {
    var hint: String {
        switch self {
        case .noDriver: "add --driver ID (`cuff drivers` lists them)"
        case .unsupported:
            "do not send it as it is; tell us which cuff it is, and send the output of `cuff drivers \(driver)`"
        case .tooLarge: "cut it: a minute with two readings is enough"
        case .empty: "name a capture, e.g. one from `cuff record`"
        case .timeOutOfRange: "choose another shift, e.g. --days -100"
        case .unsafe: "nothing was written; do not send the original"
        case .needsFolder: "create the folder first, or anonymise one recording at a time"
        case .sameTarget: "or rename one of them"
        case .otherDriver: "its header is right unless somebody wrote it by hand"
        }
    }

    private var driver: String { if case .unsupported(_, let driver) = self { driver } else { "ID" } }
}

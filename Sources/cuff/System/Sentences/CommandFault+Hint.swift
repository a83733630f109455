import CuffIngest

extension CommandFault: Hinted {
    var hint: String {
        switch self {
        case .unknownOption(let driver, _, _): "`cuff drivers \(driver)` explains them"
        case .noUsers: "leave out --user; where readings name their user, `cuff show --user NUMBER` chooses"
        case .unsupported(let driver, _, _, let sendsUnasked):
            sendsUnasked ? "`cuff read DEVICE --driver \(driver) --follow` receives what they send unasked" : ""
        case .deletesUnstored(_, let keeping):
            "leave out --no-store, or add e.g. --sink sqlite:bp.db"
                + (keeping.map { ", or --option \($0)=yes: the cuff then keeps them too" } ?? "")
        case .forgetsOutside: "read all of it into a database, then `cuff show --since …`"
        case .cannotCall: "plug it in here: `cuff watch` finds it"
        case .erasesUnstored: "add --sink sqlite:\(Store.standardPath ?? "bp.db")"
        case .erasureNotConfirmed: "add --confirm erase; everything is stored in the sinks before"
        case .noPlaceForPatients: "leave it out, or add e.g. --sink sqlite:bp.db"
        case .isMeasuring(let address): "wait for it, or `cuff stop \(address)`"
        case .isStillMeasuring(_, let process): "end that process: `kill \(process)`"
        case .noClock: "try again, or look at the cuff"
        case .noSinks: "add e.g. --sink sqlite:bp.db"
        }
    }
}

import CuffIngest

extension ConfigurationFault: Hinted {
    var hint: String {
        switch self {
        case .mistake(_, _, let mistake): mistake.hint
        case .value(_, _, let cause): cause.hint
        case .assignment: "write e.g. --assign port:1-1.2=beurer-serial"
        case .listensOnce: "leave out one of the two"
        }
    }
}

extension ConfigurationMistake {
    fileprivate var hint: String {
        switch self {
        case .refused, .wrongType: ""
        case .unknownKey(let key, _, let known):
            NearestWord.match(key, among: known).map { "did you mean `\($0)`?" } ?? "known are \(known.joined(separator: ", "))"
        case .notASection(_, let key): "write [\(key).NAME] with a name of yours"
        case .matchesNothing: "match = \"port:1-1.2\" (see `cuff list`)"
        case .ignoresWithDriver: "leave out one of the two"
        case .namesNoDriver: "driver = \"ID\" (see `cuff drivers`), or ignore = true"
        case .sinkPlaces(_, _, let keys):
            "one of \(keys.joined(separator: ", ")) in each section, e.g. sqlite = \"/var/lib/cuff/bp.db\""
        case .acknowledgesNothing: "leave out `ack`"
        }
    }
}

import CuffIngest
import Glibc

extension ConfigurationFault: Hinted {
    var hint: String {
        switch self {
        case .mistake(_, _, let mistake): mistake.hint
        case .value(_, _, let cause): cause.hint
        case .foreignOwner(let path, _): "name another file, or make it yours: chown \(geteuid()) \(path)"
        case .writableByOthers(let path): "chmod go-w \(path)"
        case .readableByOthers(let path): "chmod 600 \(path)"
        case .notAFile: "write a file there; `cuff config example` prints one to begin with"
        case .tooLong: "a configuration is a page or two: name that file"
        case .assignment: "write e.g. --assign port:1-1.2=beurer-serial"
        case .saidTwice: "leave out one of them"
        case .listensOnce: "leave out one of the two"
        case .unknownPerson(_, let person, let known):
            NearestWord.match(person, among: known).map { "did you mean `\($0)`?" }
                ?? "add the person: cuff person name \(Shell.quoted(person))"
        case .replaces(let place, let person, _):
            place.hasPrefix(CuffConfiguration.machineFile)
                ? "add --system" : "change that file: --config FILE, or repeat all cuffs of \(Shell.quoted(person))"
        case .boundTwice(_, let place, _): "take it from one of them: cuff person unbind \(place)"
        }
    }
}

extension ConfigurationMistake {
    fileprivate var hint: String {
        switch self {
        case .refused, .wrongType: ""
        case .unknownKey(let key, _, let known):
            NearestWord.match(key, among: known).map { "did you mean `\($0)`?" }
                ?? (known.isEmpty ? "leave it out: there are none" : "choose one of \(known.joined(separator: ", "))")
        case .notASection(_, let key): "write [\(key).NAME] with a name of yours"
        case .matchesNothing: "match = \"port:1-1.2\" (see `cuff list`)"
        case .ignoresWithDriver: "leave out one of the two"
        case .namesNoDriver: "driver = \"ID\" (see `cuff drivers`), or ignore = true"
        case .sinkPlaces(_, _, let keys):
            "one of \(keys.joined(separator: ", ")) in each section, e.g. sqlite = \"/var/lib/cuff/bp.db\""
        case .acknowledgesNothing: "leave out `ack`"
        case .unknownType(let word, let known):
            NearestWord.match(word, among: known).map { "did you mean `\($0)`?" } ?? "choose one of \(known.joined(separator: ", "))"
        case .relativePath: "write the whole path"
        case .notAPage: "write e.g. web = \"127.0.0.1:\(WebAddress.usualPort)\""
        case .alert(let mistake): mistake.hint
        }
    }
}

extension AlertMistake {
    fileprivate var hint: String {
        switch self {
        case .longName: "give it a shorter name"
        case .impossible: "correct its numbers"
        case .withinNotAfter: "write the longer time at `within`"
        case .longCondition: "write a shorter one"
        case .notOnSilence, .noEffect: "leave it out"
        case .triggers: "one of when = \"systolic >= 180 or diastolic >= 110\", irregular = \"2 of 3\", silence = \"30min\""
        case .overlap: "`clear` is on the other side of every value of `when`, e.g. systolic < 170 and diastolic < 100"
        case .notACondition(let key, _):
            "write e.g. \(key) = \"\(key == "when" ? "systolic >= 180 or diastolic >= 110" : "systolic < 170 and diastolic < 100")\""
        }
    }
}

extension ScheduleFault: Hinted {
    var hint: String {
        switch self {
        case .takesNoTimes: "write e.g. cuff schedule DEVICE set --every 15m"
        case .noInterval: "add e.g. --every 15m"
        case .notWholeMinutes, .interval: "write e.g. --every 15m"
        case .notAWindow: "write e.g. --from 08:00 --to 22:00"
        case .notANight: "write e.g. --night 22:00-07:00"
        case .halfANight: "write e.g. --night 22:00-07:00 --every-night 30m"
        case .nightWithinWindow: "leave out one of the two"
        case .notALength: "write e.g. --for 24h"
        case .unknownAction: "write e.g. cuff schedule DEVICE get"
        case .notByItself: "start each measurement on the cuff; `cuff watch` stores the results"
        case .noFolder: "set HOME or XDG_STATE_HOME"
        case .unknownCuff: "name the device by usb:VVVV:PPPP:SERIAL or port:…, as `cuff list` shows it, or give it a name with --device"
        case .notAtTheseTimes: "choose one of its own cycles, or start each measurement on the cuff"
        }
    }
}

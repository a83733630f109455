import CuffCore
import CuffIngest

enum ModelTable {
    private static let head = ["MODEL", "DRIVER", "CONNECTION", "HOW"]

    /// Models that match these words; throws a usage error with suggestions if there are none.
    static func found(_ words: [String]) throws -> [CuffModel] {
        let all = CuffModel.list(CuffFamilies.all, UnreachableCuffs.all)
        let found = CuffModel.search(words, in: all)
        guard found.isEmpty else { return found }
        let text = words.joined(separator: " ")
        if words.count == 1, let id = USBID(text.hasPrefix("usb:") ? text.dropFirst(4) : text[...]) {
            let chip = USBBridge.named(id).map { "\($0.name)" }
            throw IngestError(
                .usage, "no driver names the USB id \(id)", why: chip.map { "it is \($0)" } ?? "",
                hint: "search by maker or model, e.g. `cuff drivers beurer`; `cuff identify` listens to a device")
        }
        let partial = words.filter { !CuffModel.search([$0], in: all).isEmpty }
        let missing = words.filter { !partial.contains($0) }
        if !partial.isEmpty, !missing.isEmpty {
            throw IngestError(
                .usage, "no cuff here is called `\(text)`", why: "no model or driver has `\(missing.joined(separator: " "))` in its name",
                hint: "`cuff drivers \(partial.joined(separator: " "))` lists those that have the rest")
        }
        let known = Array(Set(CuffFamilies.all.map(\.id.description) + all.flatMap(\.words))).sorted()
        let near = words.compactMap { word in NearestWord.match(word.lowercased(), among: known) }
        throw IngestError(
            .usage, "no cuff here is called `\(text)`",
            why: "neither a driver nor a model has this name",
            hint: near.first.map { "did you mean `cuff drivers \($0)`?" }
                ?? "`cuff drivers --models` lists all; for a cuff that is not among them see CONTRIBUTING.md")
    }

    /// Facts of several models are printed once, below the table.
    static func table(_ models: [CuffModel], width: Int?) -> String {
        let rows = models.map { [$0.name, driver($0), connection($0), how($0)] }
        var text = TextTable(head, rows, wrapping: 3, optional: [2]).text(width: width)
        for cuff in reasons(models) {
            text += "\n" + TextTable.lines(sentence(cuff), width ?? .max).joined(separator: "\n") + "\n"
            text += TextTable.lines("source: \(cuff.source)", width ?? .max).joined(separator: "\n") + "\n"
        }
        if let one = models.lazy.compactMap(\.driver).first {
            let more = "`cuff drivers \(one.id)` prints what is known about a driver, and how well."
            text += "\n" + TextTable.lines(more, width ?? .max).joined(separator: "\n") + "\n"
        }
        return text
    }

    /// Tab-separated: model, driver or `-`, connection, what to do.
    static func plain(_ models: [CuffModel]) -> String {
        models.map { model in
            // A terminal has room for the reason below the table.
            let needed =
                if case .none(let cuff) = model.support, cuff.reason == .incomplete { "; a driver needs \(cuff.instead)" } else { "" }
            return [model.name, driver(model), connection(model), how(model) + needed].joined(separator: "\t") + "\n"
        }.joined()
    }

    /// The table of docs/MODELS.md.
    static func markdown(_ models: [CuffModel]) -> String {
        var text = "| model | driver | connection | tested on | how |\n|---|---|---|---|---|\n"
        for model in models {
            let name = model.driver.map { "`\($0.id)`" } ?? "none"
            text += "| \(model.name) | \(name) | \(connection(model)) | \(model.driver?.testedOn.text ?? "–") | \(how(model)) |\n"
        }
        for cuff in UnreachableCuffs.all { text += "\n\(sentence(cuff))  \nSource: \(cuff.source).\n" }
        return text
    }

    static func json(_ models: [CuffModel]) -> String {
        models.map { model in
            switch model.support {
            case .driver(let driver):
                JSONOutput.line(
                    "model", ("model", .text(model.name)), ("driver", .text(driver.id.description)),
                    ("medium", .text(driver.medium.rawValue)), ("usb", .list(driver.claims.map { .text("\($0.id)") })),
                    ("recognised", .bool(driver.isRecognised)))
            case .none(let cuff):
                JSONOutput.line(
                    "model", ("model", .text(model.name)), ("reason", .text(cuff.reason.rawValue)),
                    ("known", cuff.known.isEmpty ? nil : .text(cuff.known)), ("instead", .text(cuff.instead)),
                    ("source", .text(cuff.source)))
            }
        }.joined()
    }

    private static func driver(_ model: CuffModel) -> String { model.driver?.id.description ?? "-" }

    private static func connection(_ model: CuffModel) -> String {
        switch model.support {
        case .driver(let driver): DriverSheet.connection(driver)
        case .none(let cuff): cuff.reason == .bluetooth ? "Bluetooth" : "-"
        }
    }

    private static func how(_ model: CuffModel) -> String {
        switch model.support {
        case .driver(let driver) where driver.isRecognised: "plug it in; `cuff watch` reads it"
        case .driver(let driver) where driver.capabilities.isEmpty: "no readings yet: only its frames are understood"
        case .driver(let driver): "cuff read DEVICE --driver \(driver.id)"
        case .none(let cuff):
            switch cuff.reason {
            case .bluetooth: "cannot be read here: Bluetooth"
            case .unpublished: "cannot be read here: no public protocol"
            case .incomplete: "cannot be read here: too little of its protocol is public"
            }
        }
    }

    private static func sentence(_ cuff: UnreachableCuff) -> String {
        let names = cuff.models.joined(separator: ", ")
        return switch cuff.reason {
        case .bluetooth: "Bluetooth, which cuff does not support: \(names). Instead: \(cuff.instead)."
        case .unpublished: "No public description of the protocol was found: \(names). Instead: \(cuff.instead)."
        case .incomplete: "Too little of the protocol is public: \(names). \(cuff.known) A driver needs \(cuff.instead)."
        }
    }

    /// Why some of them cannot be read, each reason with its models.
    private static func reasons(_ models: [CuffModel]) -> [UnreachableCuff] {
        let names = Set(models.map(\.name))
        return UnreachableCuffs.all.compactMap { cuff in
            var cuff = cuff
            cuff.models.removeAll { !names.contains($0) }
            return cuff.models.isEmpty ? nil : cuff
        }
    }
}

extension CuffModel {
    fileprivate var driver: CuffDriver? { if case .driver(let driver) = support { driver } else { nil } }
}

extension CuffDriver {
    /// It has USB ids of its own.
    var isRecognised: Bool { claims.contains { if case .shared = $0 { false } else { true } } }
}

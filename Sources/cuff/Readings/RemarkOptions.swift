import ArgumentParser
import CuffCore
import CuffIngest

struct RemarkOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A note in your own words, up to \(Remarks.Key.note.longest) bytes.", valueName: "text"))
    var note: String?
    @Option(help: ArgumentHelp("Drugs, e.g. before, after, or a name with its dose.", valueName: "text")) var medication: String?
    @Option(
        help: ArgumentHelp("One of \(Remarks.Key.posture.words.joined(separator: ", ")).", valueName: "posture"),
        completion: .list(Remarks.Key.posture.words))
    var posture: String?
    @Option(
        help: ArgumentHelp("The arm of the cuff: \(Remarks.Key.arm.words.joined(separator: " or ")).", valueName: "side"),
        completion: .list(Remarks.Key.arm.words))
    var arm: String?

    var changes: [(key: Remarks.Key, text: String)] {
        let said: [(Remarks.Key, String?)] = [(.note, note), (.medication, medication), (.posture, posture), (.arm, arm)]
        return said.compactMap { key, text in text.map { (key, $0) } }
    }

    func remarks() throws -> Remarks {
        var remarks = Remarks()
        do throws(Remarks.Refusal) {
            for (key, text) in changes { try remarks.set(key, text) }
        } catch { throw IngestError(StoreFault.remarkRefused(error)) }
        return remarks
    }
}

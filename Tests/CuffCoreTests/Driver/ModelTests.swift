import CuffCore
import Testing

/// The search for cuffs, and tables for terminals.
@Suite struct ModelTests {
    private static let all = CuffModel.list(CuffFamilies.all, UnreachableCuffs.all)

    private func names(_ words: String...) -> [String] { CuffModel.search(words, in: Self.all).map(\.name) }

    @Test func aModel_IsFound_HoweverItIsSpelled() {
        for spelling in ["BM58", "bm58", "bm 58", "Beurer BM58"] {
            let found = CuffModel.search(spelling.split(separator: " ").map(String.init), in: Self.all)
            #expect(found.map(\.name).contains("Beurer BM58"), "\(spelling)")
        }
        #expect(names("hem670it") == ["Omron HEM-670IT"])
        #expect(names("HEM-670IT") == ["Omron HEM-670IT"])
        // Both kinds of BM58: USB HID, and serial behind a PL2303.
        let drivers = CuffModel.search(["bm58"], in: Self.all).compactMap {
            if case .driver(let driver) = $0.support { driver.id } else { nil }
        }
        #expect(Set(drivers) == ["beurer-hid", "beurer-serial"])
        #expect(names("nothing-of-the-kind").isEmpty)
        #expect(names().isEmpty && names("-").isEmpty)
    }

    /// A word of the name counts more than its beginning, and that more than a part: `m7` is in HEM-7131U, too.
    @Test func wholeWords_ComeFirst_AndEveryWordCounts() {
        #expect(names("omron", "m7") == ["Omron HEM-7361T (M500 Intelli IT, M7 Intelli IT)"])
        #expect(names("m7") == names("omron", "m7"))
        #expect(names("omron", "evolv") == ["Omron HEM-7600T (Evolv)"])
        #expect(names("7131u") == ["Omron HEM-7131U"])
        // The beginning of words.
        #expect(names("hem-7131") == ["Omron HEM-7131U"])
        #expect(names("beurer", "bm96") == ["Beurer BM 96 Cardio"] && names("bm", "96") == ["Beurer BM 96 Cardio"])
        // No word is left out.
        #expect(names("beurer", "evolv").isEmpty && names("omron", "bm58").isEmpty)
    }

    private func driver(_ name: String) -> String {
        switch DriverName(name, among: CuffFamilies.all, unreachable: UnreachableCuffs.all) {
        case .driver(let driver): "\(driver.id)"
        case .ambiguous(let ids): ids.map(\.description).sorted().joined(separator: " or ")
        case .unreachable: "unreachable"
        case .unknown: "unknown"
        }
    }

    @Test func aModel_NamesItsDriver_IfThereIsOne() {
        #expect(driver("and-std") == "and-std" && driver("UA-767PC") == "and-ua767pc" && driver("hem-7131u") == "omron-eeprom")
        #expect(driver("bm58") == "beurer-hid or beurer-serial" && driver("bm65 pl2303") == "beurer-serial")
        #expect(driver("m7") == "unreachable")
        // A maker, the beginning of a model and a USB id are not enough to write to a device.
        for name in ["terumo", "omron", "hem-71", "0590:0090", "", "5"] { #expect(driver(name) == "unknown", "\(name)") }
    }

    @Test func aMaker_OrADriver_FindsItsModels() {
        #expect(names("terumo") == ["Terumo BP-500", "Terumo BR-500"])
        #expect(Set(names("beurer-serial")) == ["Beurer BM58 (PL2303)", "Beurer BM65 (PL2303)", "Andon KD-001 class"])
    }

    /// 0590:0028 is Omron's own; 067b:2303 any PL2303 (VENDORS of each driver).
    @Test func aUSBID_FindsTheCuffsBehindIt() {
        #expect(names("0590:0028").allSatisfy { $0.hasPrefix("Omron") } && !names("0590:0028").isEmpty)
        #expect(names("067b:2303").contains("Beurer BM65 (PL2303)") && names("usb:067B:2303") == names("067b:2303"))
        #expect(names("dead:beef").isEmpty)
    }

    @Test func everyModelOfEveryDriver_IsListed_ByName() {
        #expect(
            Self.all.count == CuffFamilies.all.reduce(0) { $0 + $1.models.count } + UnreachableCuffs.all.reduce(0) { $0 + $1.models.count })
        let keys = Self.all.map { $0.name.lowercased() }
        #expect(keys == keys.sorted())
    }

    /// A supported cuff is not in the list of unreachable ones, whose entries have an alternative and a source.
    @Test func unreachableCuffs_AreNoDrivers_AndHaveSources() {
        let read = Set(CuffFamilies.all.flatMap(\.models).map { $0.lowercased() })
        var seen: Set<String> = []
        for cuff in UnreachableCuffs.all {
            #expect(!cuff.instead.isEmpty && !cuff.source.isEmpty && !cuff.models.isEmpty)
            #expect(cuff.source.firstMatch(of: /(?:^|[ ,])[0-9]{8,}/) == nil, "a bare number is no source: \(cuff.source)")
            for model in cuff.models {
                #expect(!read.contains(model.lowercased()) && seen.insert(model.lowercased()).inserted, "\(model)")
            }
        }
        for cuff in UnreachableCuffs.all where cuff.reason == .incomplete {
            #expect(cuff.known.hasSuffix(".") && !cuff.instead.hasSuffix("."), "\(cuff.models)")
        }
        #expect(names("hem-7322t") == ["Omron HEM-7322T (M700 Intelli IT)"])
    }

    private static let table = TextTable(
        ["ID", "WHAT IT IS", "COUNT"],
        [["a", "a text of several words that is long enough to be broken", "7"], ["second", "short", "123"]],
        wrapping: 1, rightAligned: [2], optional: [2])

    @Test func aTable_IsAsWideAsItsCells_WhereNothingLimitsIt() {
        let lines = Self.table.text(width: nil).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0] == "ID      WHAT IT IS                                                COUNT")
        #expect(lines[1] == "a       a text of several words that is long enough to be broken      7")
    }

    @Test(arguments: [20, 33, 40, 60, 72, 200]) func aTable_FitsTheTerminal(_ width: Int) {
        let text = Self.table.text(width: width)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= width }, "\(text)")
        // No word is lost, in any form.
        for word in ["second", "several", "broken", "short"] { #expect(text.contains(word), "\(width): \(text)") }
    }

    @Test func aTable_LeavesOutWhatIsLeastImportant_BeforeItBecomesBlocks() {
        let narrow = Self.table.text(width: 34)
        #expect(narrow.hasPrefix("ID      WHAT IT IS") && !narrow.contains("COUNT"))
        let blocks = Self.table.text(width: 24)
        #expect(blocks.contains("ID          a\n") && blocks.contains("COUNT       123\n"), "\(blocks)")
    }

    @Test func words_LongerThanALine_AreCut() {
        #expect(TextTable.lines("abcdefgh ij", 3) == ["abc", "def", "gh", "ij"])
        #expect(TextTable.lines("abcdef", 3) == ["abc", "def"])
        #expect(TextTable.lines("", 3) == [""])
        #expect(TextTable.lines("ab cd", 5) == ["ab cd"])
    }

    @Test(arguments: [60, 80, 120, 200]) func theListOfDrivers_FitsATerminal(_ width: Int) {
        let text = DriverSheet.table(CuffFamilies.all, width: width)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= width }, "\(text)")
        for driver in CuffFamilies.all { #expect(text.contains(driver.id.description)) }
    }
}

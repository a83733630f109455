import CuffCore
import Testing

/// The search for cuffs, and tables for terminals.
@Suite struct ModelTests {
    private static let all = CuffModel.list(CuffFamilies.all, UnreachableCuffs.all)

    private func names(_ words: String...) -> [String] { Self.all.filter { $0.isMeant(by: words) }.map(\.name) }

    @Test func aModel_IsFound_HoweverItIsSpelled() {
        for spelling in ["BM58", "bm58", "bm 58", "Beurer BM58"] {
            let found = Self.all.filter { $0.isMeant(by: spelling.split(separator: " ").map(String.init)) }
            #expect(found.map(\.name).contains("Beurer BM58"), "\(spelling)")
        }
        #expect(names("hem670it") == ["Omron HEM-670IT"])
        #expect(names("HEM-670IT") == ["Omron HEM-670IT"])
        // Both kinds of BM58: USB HID, and serial behind a PL2303.
        let drivers = Self.all.filter { $0.isMeant(by: ["bm58"]) }.compactMap {
            if case .driver(let driver) = $0.support { driver.id } else { nil }
        }
        #expect(Set(drivers) == ["beurer-hid", "beurer-serial"])
        #expect(names("nothing-of-the-kind").isEmpty)
        #expect(names().isEmpty && names("-").isEmpty)
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

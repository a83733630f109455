import CuffCore

/// What stands on each page of paper: whose it is, and the number of the page. Browsers that know no margin boxes leave it out.
struct ReportPaper {
    let paper: ReportPage.Paper
    /// Whose each section is; empty for nobody named.
    let persons: [String]

    /// The rules for the style sheet: each section is printed on pages of its own kind.
    func append(to text: inout TextBuffer) {
        text.append("\n@page{size:")
        text.append(paper == .a4 ? "A4" : "letter")
        text.append(";margin:11mm 13mm 15mm")
        text.append(";@bottom-right{content:\"page \" counter(page) \" of \" counter(pages);font:8pt sans-serif;color:#444}}")
        for (place, person) in persons.enumerated() {
            text.append(string: "\n.p\(place){page:p\(place)}@page p\(place){@bottom-left{content:\"Blood pressure")
            if !person.isEmpty { text.append(string: " · " + Self.escaped(person)) }
            text.append("\";font:8pt sans-serif;color:#444}}")
        }
    }

    /// For a text within quotes: everything but letters, digits and blanks as its number (CSS Syntax 3, 4.3.7).
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ": "\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: " "
            default: "\\\(String(scalar.value, radix: 16)) "
            }
        }.joined()
    }
}

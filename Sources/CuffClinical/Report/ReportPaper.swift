import CuffCore

/// The style rules for printed pages: the person and the page number on each. Browsers without margin boxes leave them out.
struct ReportPaper {
    let paper: ReportPage.Paper
    let language: Language
    /// The name of each section; empty if it has none.
    let persons: [String]

    /// Each section is printed on pages of its own kind.
    func append(to text: inout TextBuffer) {
        text.append("@page{size:")
        text.append(paper == .a4 ? "A4" : "letter")
        text.append(";margin:11mm 13mm 15mm")
        let (page, of) = (Self.escaped(language[.page]), Self.escaped(language[.ofPages]))
        text.append(
            string: ";@bottom-right{content:\"\(page) \" counter(page) \" \(of) \" counter(pages);font:8pt sans-serif;color:#444}}\n")
        for (place, person) in persons.enumerated() {
            let name = person.isEmpty ? "" : " · " + Self.escaped(person)
            text.append(
                string:
                    ".p\(place){page:p\(place)}@page p\(place){@bottom-left{content:\"\(Self.escaped(language[.bloodPressure]))\(name)\"")
            text.append(";font:8pt sans-serif;color:#444}}\n")
        }
    }

    /// For a quoted text: everything but letters, digits and blanks as its number (CSS Syntax 3, 4.3.7).
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

import CuffIngest

extension PagePrinter.PrintFault: Hinted {
    var hint: String {
        switch self {
        case .noBrowser: "apt-get install chromium, or weasyprint; or write -o report.html and print it from any browser"
        case .cannotStart, .nothing, .tooSlow: "write -o report.html and print it from any browser"
        case .interrupted: ""
        }
    }
}

import CLinux
import CuffCore
import Glibc

/// Prints a page to a PDF file with an installed browser, without a window, else with WeasyPrint. Neither must load anything, and the
/// page contains nothing to load.
package enum PagePrinter {
    /// Browsers with the same headless printing options, the most common first.
    static let programs = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser", weasyPrint,
    ]
    private static let weasyPrint = "weasyprint"
    /// A page of some megabytes takes seconds; a small computer may need more.
    static let patience = Duration.seconds(120)
    /// No report comes near this size.
    private static let largest = 256 << 20

    package enum PrintFault: Fault {
        case noBrowser(looked: [String])
        case cannotStart(String, errno: Int32)
        case tooSlow(String)
        case interrupted
        case nothing(String)

        package var statement: (status: RunStatus, text: String) {
            switch self {
            case .noBrowser(let looked):
                (
                    .unavailable,
                    "cannot print a PDF file: neither a browser nor WeasyPrint is installed (looked for \(looked.joined(separator: ", ")))"
                )
            case .cannotStart(let browser, let number):
                (.software, "cannot print a PDF file: \(browser) does not start: \(SystemFault.lowercased(number))")
            case .tooSlow(let browser): (.tryAgain, "cannot print a PDF file: \(browser) did not end in \(patience.components.seconds) s")
            case .interrupted: (.interrupted, "no PDF file was printed: interrupted")
            case .nothing(let browser): (.software, "cannot print a PDF file: \(browser) created no file")
            }
        }
    }

    /// The first program found on PATH.
    static func program() throws(IngestError) -> String {
        for name in programs { if let path = CommandPeer.find(name) { return path } }
        throw IngestError(PrintFault.noBrowser(looked: programs))
    }

    /// The page as a PDF file. Both are stored temporarily in a private folder next to `path`.
    static func pdf(of page: inout TextBuffer, beside path: String, with program: String) throws(IngestError) -> [UInt8] {
        var template = Array("\(path == "-" ? "/tmp" : Descriptor.folder(of: path))/cuff-report-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .writing(path, errno) }
        let folder = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { remove(folder) }
        let html = try OutputFile("\(folder)/page.html")
        if program.hasSuffix(weasyPrint) {
            let bytes = forWeasyPrint(page.array)
            page.removeAll()
            page.append(bytes: bytes.span)
        }
        try html.append(&page)
        try html.finish()
        try run(program, in: folder)
        guard let file = fopen("\(folder)/page.pdf", "rb") else { throw IngestError(PrintFault.nothing(program)) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&part, 1, part.count, file), count > 0, bytes.count < largest { bytes += part[..<count] }
        guard bytes.starts(with: Array("%PDF-".utf8)), bytes.count < largest else { throw IngestError(PrintFault.nothing(program)) }
        return bytes
    }

    private static func run(_ program: String, in folder: String) throws(IngestError) {
        let options = [
            "--headless", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-sync", "--disable-background-networking",
            "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=\(folder)/profile",
            "--no-pdf-header-footer", "--print-to-pdf=\(folder)/page.pdf",
        ]
        // Root cannot create the sandbox of these browsers.
        let own = geteuid() == 0 ? ["--no-sandbox"] : []
        let words = program.hasSuffix(weasyPrint) ? ["\(folder)/page.html", "\(folder)/page.pdf"] : options + own + [address(folder)]
        // A browser prints irrelevant warnings; only the file counts.
        let quiet = ["/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/null 2>&1"]
        var arguments = (quiet + [program] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var input: Int32 = -1
        let process = clinux_spawn(&arguments, nil, &input, nil)
        guard process > 0 else { throw IngestError(PrintFault.cannotStart(program, errno: -process)) }
        close(input)
        // An interrupted run must not leave the page behind.
        let stop = StopSignal()
        stop.watch()
        let end = HostClock.monotonic() + patience.nanoseconds
        while waitpid(process, nil, WNOHANG) == 0 {
            guard HostClock.monotonic() < end, !stop.isRaised else {
                // The process group, because a browser has many processes.
                kill(-process, SIGKILL)
                waitpid(process, nil, 0)
                throw IngestError(stop.isRaised ? PrintFault.interrupted : .tooSlow(program))
            }
            usleep(20_000)
        }
    }

    /// WeasyPrint 57 has no variables in shorthands, no gaps in rows of boxes, and pictures do not see the style of the page.
    static func forWeasyPrint(_ page: [UInt8]) -> [UInt8] {
        guard let end = page.firstRange(of: Array("</style>".utf8)) else { return page }
        var style = String(decoding: page[..<end.lowerBound], as: UTF8.self)
        let printed = style.split(separator: "@media print", maxSplits: 1).last ?? ""
        for declaration in printed.split(separator: "--") {
            let parts = (declaration.split(separator: ";").first ?? "").split(separator: ": ")
            if parts.count == 2, parts[1].hasPrefix("#") { style = style.replacing("var(--\(parts[0]))", with: parts[1]) }
        }
        let rules = style.split(separator: "svg text", maxSplits: 1).last?.split(separator: ".narrow").first ?? ""
        let own = "<style>text{font-family:sans-serif;font-size:11px}text\(rules.replacing("svg ", with: ""))</style>"
        var result = Array((style + ".facts div{margin-right:34px}").utf8)
        var rest = page[end.lowerBound...]
        while let tag = rest.firstRange(of: Array("<svg ".utf8)), let close = rest[tag.upperBound...].firstIndex(of: 0x3E) {
            result += rest[...close] + own.utf8
            rest = rest[(close + 1)...]
        }
        return result + rest
    }

    /// The page as a percent-encoded `file:` address.
    private static func address(_ folder: String) -> String {
        var absolute = folder
        if !folder.hasPrefix("/"), let here = getcwd(nil, 0) {
            absolute = String(cString: here) + "/" + folder
            free(here)
        }
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.".utf8)
        let path = "\(absolute)/page.html".utf8.map { byte in
            plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "file://" + path.joined()
    }

    /// Removes a folder and its contents, without following links.
    private static func remove(_ folder: String, depth: Int = 0) {
        // A browser's profile is five folders deep.
        guard depth < 16 else { return }
        for name in Folder.names(folder) where name != "." && name != ".." {
            var status = stat()
            let isFolder = lstat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            if isFolder { remove("\(folder)/\(name)", depth: depth + 1) } else { unlink("\(folder)/\(name)") }
        }
        rmdir(folder)
    }
}

import FuzzMain
import Glibc

@testable import CuffClinical

/// Reads any file as any importer whose files are bytes. The first byte chooses the layout, the second the size of the chunks.
/// Whatever comes, nothing may trap, and chunks give what the whole file gives.
@_cdecl("FuzzImport_main")
public func fuzzImportMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    runFuzzer(count, arguments) { start, count in
        guard let start, count > 2 else { return 0 }
        let input = Array(UnsafeBufferPointer(start: start, count: count))
        let file = Array(input[2...])
        let importer = fuzzedImporters[Int(input[0]) % fuzzedImporters.count]
        let whole = imported(file, importer, chunk: file.count)
        let parts = imported(file, importer, chunk: Int(input[1] % 32) + 1)
        if whole?.readings != parts?.readings || whole?.complaints.count != parts?.complaints.count {
            fatalError("\(importer): chunks of \(input[1] % 32 + 1) bytes give something else")
        }
        return 0
    }
}

/// `nil`: the file was refused.
private func imported(_ file: [UInt8], _ importer: Importer, chunk: Int) -> ImportOutput? {
    var output = ImportOutput()
    do {
        guard var reader = try importer.reader(ImportOptions(), head: Array(file.prefix(Importer.headLength))) else { return nil }
        for _ in 0..<reader.passes {
            for start in stride(from: 0, to: file.count, by: chunk) {
                try reader.read(file[start..<min(start + chunk, file.count)].span, &output)
            }
            try reader.endPass(&output)
        }
        return output
    } catch {
        return nil
    }
}

/// All importers of bytes, or those that CUFF_FUZZ_IMPORTERS names with commas between.
private let fuzzedImporters: [Importer] = {
    let all = Importer.all.filter { if case .bytes = $0.form { true } else { false } }
    guard let words = getenv("CUFF_FUZZ_IMPORTERS").map({ String(cString: $0).split(separator: ",") }) else { return all }
    let chosen = all.filter { importer in words.contains { $0 == importer.name } }
    return chosen.isEmpty ? all : chosen
}()

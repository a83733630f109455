import FuzzMain
import FuzzedTOML

/// Any bytes as a configuration file. What can be read can be edited, and the edit reads back.
@_cdecl("FuzzTOML_main")
public func fuzzTOMLMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    runFuzzer(count, arguments) { start, count in
        let input = start.map { Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
        guard let document = try? TOMLDocument(input) else { return 0 }
        let value = TOMLDocument.quoted(String(decoding: input.prefix(16), as: UTF8.self))
        for path in [["a"], ["device", "desk", "match"]] + document.root.keys.prefix(4).map({ [$0] }) {
            guard let edited = try? document.setting(path, to: value) else { continue }
            var table: TOMLTable? = edited.root
            for key in path.dropLast() { table = table?[key]?.table }
            let read = path.last.flatMap { table?[$0]?.string }
            if read.map(TOMLDocument.quoted) != value { fatalError("\(path) reads \(read ?? "nothing")") }
            guard let removed = try? edited.removing(path) else { fatalError("\(path) cannot be removed") }
            var left: TOMLTable? = removed.root
            for key in path.dropLast() { left = left?[key]?.table }
            if path.last.flatMap({ left?[$0] }) != nil { fatalError("\(path) is still there") }
        }
        return 0
    }
}

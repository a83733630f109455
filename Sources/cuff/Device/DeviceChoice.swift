import ArgumentParser
import CuffCore
import CuffIngest
import Glibc

/// Completion of a DEVICE argument: what is plugged in and may be a cuff, then the entries of a folder.
enum DeviceChoice {
    static let completion = CompletionKind.custom { _, _, prefix in candidates(prefix) }

    /// Opens nothing.
    static func candidates(_ prefix: String) -> [String] {
        let plugged = (try? DeviceEnumeration.plugged()) ?? []
        let devices = plugged.flatMap { [$0.node] + $0.links.filter { $0.hasPrefix("/dev/serial/by-id/") } }
        let words = (devices + ["auto", "tcp://"]).filter { $0.hasPrefix(prefix) }
        return words.isEmpty || prefix.hasSuffix("/") ? words + entries(prefix).filter { !words.contains($0) } : words
    }

    private static func entries(_ prefix: String) -> [String] {
        let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        guard let stream = opendir(folder.isEmpty ? "." : folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        // A folder such as /dev has some hundred entries; a shell cannot show more than these.
        while names.count < 1000, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if !name.hasPrefix("."), (folder + name).hasPrefix(prefix) {
                names.append(folder + name + (entry.pointee.d_type == UInt8(DT_DIR) ? "/" : ""))
            }
        }
        return names.sorted()
    }
}

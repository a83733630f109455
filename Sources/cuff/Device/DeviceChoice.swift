import ArgumentParser
import CuffIngest

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
        // A folder such as /dev has some hundred entries; a shell cannot show more than these.
        return Folder.entries(folder.isEmpty ? "." : folder, most: 10_000)
            .filter { !$0.name.hasPrefix(".") && (folder + $0.name).hasPrefix(prefix) }
            .prefix(1000).map { folder + $0.name + ($0.isFolder ? "/" : "") }.sorted()
    }
}

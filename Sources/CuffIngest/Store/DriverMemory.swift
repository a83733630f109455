import CuffCore
import Glibc

/// Values that sessions store for the next cuff of their driver (`SessionAction.remember`), one file per driver in
/// `$XDG_STATE_HOME/cuff`. If lost, the cuff is asked for its configuration again.
package struct DriverMemory: Sendable {
    let folder: String
    /// A stored configuration is an APDU of at most 64 KiB; a driver keeps a handful.
    private static let largestFile = 1 << 20

    /// The memory in this folder, which is created on the first write.
    package init(folder: String) { self.folder = folder }

    /// `$STATE_DIRECTORY` (systemd), else `$XDG_STATE_HOME/cuff`, else `~/.local/state/cuff`; `nil` without a home.
    package static var standard: DriverMemory? {
        if let folder = serviceFolder { return DriverMemory(folder: folder) }
        if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") { return DriverMemory(folder: "\(state)/cuff") }
        guard let home = variable("HOME"), home.hasPrefix("/") else { return nil }
        return DriverMemory(folder: "\(home)/.local/state/cuff")
    }

    static var serviceFolder: String? { variable("STATE_DIRECTORY")?.split(separator: ":").first.map(String.init) }

    /// A variable of the environment that is not empty.
    package static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    func file(_ name: String) -> String { "\(folder)/\(name)" }

    private func path(_ driver: DriverID) -> String { "\(folder)/\(driver).memory" }

    /// Everything stored for the driver; empty if the file is missing or unreadable.
    package func load(_ driver: DriverID) -> [String: [UInt8]] {
        guard let text = StateFile.bytes(path(driver), most: Self.largestFile) else { return [:] }
        var memory: [String: [UInt8]] = [:]
        for line in text.split(separator: 0x0A) {
            let parts = line.split(separator: 0x20, maxSplits: 1)
            guard parts.count == 2, let value = Hex.bytes(String(decoding: parts[1], as: UTF8.self)) else { continue }
            memory[String(decoding: parts[0], as: UTF8.self)] = value
        }
        return memory
    }

    /// Adds or replaces one value. The file is replaced atomically.
    package func store(_ driver: DriverID, _ key: String, _ value: [UInt8]) throws(IngestError) { try store(driver, [key: value]) }

    func store(_ driver: DriverID, _ values: [String: [UInt8]]) throws(IngestError) {
        let before = load(driver)
        let memory = before.merging(values.filter { key, _ in !key.isEmpty && key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }) { $1 }
        guard memory != before else { return }
        let text = memory.sorted { $0.key < $1.key }.map { "\($0.key) \(Hex.text($0.value, separator: ""))\n" }.joined()
        try StateFile.write(text, to: path(driver))
    }
}

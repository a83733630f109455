import Glibc
import Testing

@testable import RemoteSink

@Suite struct HelperAddressTests {
    @Test func all_ItsParts() throws {
        let address = try HelperAddress("influx+HTTPS://A%40b@[::1]:8086/a%20b/c?db=x%26y&subject.1=Patient/1&flag")
        #expect(address.scheme == "influx+https")
        #expect(address.user == "A@b")
        #expect(address.host == "::1")
        #expect(address.port == 8086)
        #expect(address.path == "/a b/c" && address.encodedPath == "/a%20b/c")
        #expect(address["db"] == "x&y" && address["subject.1"] == "Patient/1" && address["flag"] == "" && address["other"] == nil)
        #expect(address.isLoopback)
        let short = try HelperAddress("mqtt://broker")
        #expect(short.host == "broker" && short.port == nil && short.user == nil && short.path.isEmpty && short.items.isEmpty)
        #expect(!short.isLoopback)
    }

    @Test(arguments: [
        "mqtt:broker", "mqtt://h:0", "mqtt://h:65536", "mqtt://h:x", "mqtt://[::1", "mqtt://[::1]x", "mqtt://h/%2", "mqtt://h/%zz",
        "mqtt://h/?a=%00",
        "mqtt://h/?a=%ff", "mqtt://h/#x", "mqtt://h/%+1",
    ]) func malformed(text: String) { #expect(throws: ConfigurationFault.self) { try HelperAddress(text) } }

    @Test func password_IsNotAcceptedAndNotRepeated() {
        do {
            _ = try HelperAddress("mqtt://me:hunter2@broker/")
            Issue.record("a password was accepted")
        } catch { #expect(!error.description.contains("hunter2")) }
        do {
            _ = try HelperAddress("mqtt://me:hunter2@broker:x/%")
            Issue.record("a password was accepted")
        } catch { #expect(!error.description.contains("hunter2")) }
    }

    @Test func unknownSetting_IsNamed() throws {
        let address = try HelperAddress("mqtt://h/?gatway=a")
        #expect(throws: ConfigurationFault.self) { try address.check(known: ["gateway"]) }
        try address.check(known: ["gatway"])
        try address.check(known: [], prefixes: ["gat"])
    }
}

@Suite struct CredentialsTests {
    private static func folder() throws -> String {
        var name = Array("/tmp/cuff-credentials-XXXXXX".utf8CString)
        try #require(mkdtemp(&name) != nil)
        return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func write(_ path: String, _ text: String, _ mode: mode_t) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
        try #require(file >= 0)
        var bytes = Array(text.utf8)
        #expect(Glibc.write(file, &bytes, bytes.count) == bytes.count)
        fchmod(file, mode)
        close(file)
    }

    @Test func firstLine_OfAFileForItsOwnerAlone() throws {
        let folder = try Self.folder()
        defer { for name in ["a", "b", "c", "d"] { unlink("\(folder)/\(name)") }; rmdir(folder) }
        try Self.write("\(folder)/a", "secret word\r\nmore\n", 0o600)
        try Self.write("\(folder)/b", "secret\n", 0o640)
        try Self.write("\(folder)/c", "\nsecret\n", 0o600)
        try Self.write("\(folder)/d", String(repeating: "x", count: Credentials.longest + 1), 0o600)
        let own = Credentials(systemd: nil, own: folder)
        #expect(try own.find("a") == "secret word")
        #expect(try own.find("none") == nil)
        for name in ["b", "c", "d"] { #expect(throws: ConfigurationFault.self) { try own.find(name) } }
        // systemd guards its own folder.
        #expect(try Credentials(systemd: folder, own: nil).find("b") == "secret")
        #expect(try Credentials(systemd: "/nonexistent", own: folder).find("a") == "secret word")
        do { _ = try own.find("b") } catch { #expect(error.description.contains("chmod 600 \(folder)/b")) }
        #expect(throws: ConfigurationFault.self) { try Credentials(systemd: nil, own: "/").find("tmp") }
    }
}

import Glibc
import Testing

@testable import CuffIngest

@Suite struct FileIdentityTests {
    private func change(_ folder: TestFolder, _ act: (String) -> Void) throws -> FileIdentity.Change? {
        let path = folder.write("a", "1234567\n")
        let descriptor = try Descriptor.open(path, O_RDWR | O_APPEND)
        defer { close(descriptor) }
        act(path)
        return FileIdentity.change(of: descriptor, path, size: 8)
    }

    @Test func fileThatOnlyGrew_IsTheSame() throws {
        let folder = TestFolder()
        #expect(try change(folder) { _ in } == nil)
        #expect(try change(folder) { #expect(truncate($0, 100) == 0) } == nil)
        #expect(try change(folder) { #expect(chmod($0, 0o640) == 0) } == nil)
    }

    @Test func renamedRemovedOrReplaced_IsAnother() throws {
        let folder = TestFolder()
        #expect(try change(folder) { #expect(rename($0, $0 + ".1") == 0) } == .replaced)
        #expect(try change(folder) { #expect(unlink($0) == 0) } == .replaced)
        #expect(
            try change(folder) {
                #expect(rename($0, $0 + ".1") == 0)
                _ = folder.write("a", "a longer text than before\n")
            } == .replaced)
    }

    @Test func emptiedFile_IsShortened() throws {
        let folder = TestFolder()
        #expect(try change(folder) { #expect(truncate($0, 0) == 0) } == .shortened)
        #expect(try change(folder) { #expect(truncate($0, 7) == 0) } == .shortened)
    }
}

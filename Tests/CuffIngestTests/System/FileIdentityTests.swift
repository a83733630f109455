import Glibc
import Testing

@testable import CuffIngest

@Suite struct FileIdentityTests {
    /// The change of an open file of eight bytes by `act`, which returns 0.
    private func change(_ folder: TestFolder, _ act: (String) -> Int32) throws -> FileIdentity.Change? {
        let path = folder.write("a", "1234567\n")
        let descriptor = try Descriptor.open(path, O_RDWR | O_APPEND)
        defer { close(descriptor) }
        #expect(act(path) == 0)
        return FileIdentity.change(of: descriptor, path, size: 8)
    }

    @Test func fileThatOnlyGrew_IsTheSame() throws {
        let folder = TestFolder()
        #expect(try change(folder) { _ in 0 } == nil)
        #expect(try change(folder) { truncate($0, 100) } == nil)
        #expect(try change(folder) { chmod($0, 0o640) } == nil)
    }

    @Test func renamedRemovedOrReplaced_IsAnother() throws {
        let folder = TestFolder()
        #expect(try change(folder) { rename($0, $0 + ".1") } == .replaced)
        #expect(try change(folder) { unlink($0) } == .replaced)
        let replaced = try change(folder) { path in
            guard rename(path, path + ".1") == 0 else { return -1 }
            _ = folder.write("a", "a longer text than before\n")
            return 0
        }
        #expect(replaced == .replaced)
    }

    @Test func emptiedFile_IsShortened() throws {
        let folder = TestFolder()
        #expect(try change(folder) { truncate($0, 0) } == .shortened)
        #expect(try change(folder) { truncate($0, 7) } == .shortened)
    }
}

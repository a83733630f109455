import CuffCore
import Foundation
import Testing

@testable import CuffIngest

/// Another reader does not damage an open database.
@Suite struct OpenDatabasesTests {
    @Test(.timeLimit(.minutes(5))) func lookingInTwice_LosesNothing() async throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3") else {
            print("note: skipped lookingInTwice: /usr/bin/sqlite3, another program's reader, is not installed")
            return
        }
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let sink = try SQLiteSink(path: path)
        #expect(try sink.write(.sample(0..<5)) == 0)
        // A second connection of this process must not drop the first one's locks.
        do {
            let second = try Store(path, access: .read)
            try second.close()
        }
        #expect(try await look(path) == "5")
        #expect(FileManager.default.fileExists(atPath: path + "-wal"), "the log still exists, because the database is open")
        #expect(try sink.write(.sample(5..<9)) == 0)
        #expect(try await look(path) == "9", "what is written after another program looked in is there")
        try sink.close()
        #expect(try await look(path) == "9")
    }

    private func look(_ path: String) async throws -> String {
        try await onThread {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
            process.arguments = [path, "select count(*) from readings"]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}

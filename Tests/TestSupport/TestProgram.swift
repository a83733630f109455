import Foundation

/// A script that a test runs.
package enum TestProgram {
    /// Writes it by another process. A child that another test starts at the same time inherits a descriptor that this process has open
    /// for writing, and execve(2) then fails with ETXTBSY.
    package static func write(_ text: String, to path: String) throws {
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = ["-c", "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\"", path, text]
        try writer.run()
        writer.waitUntilExit()
        guard writer.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}

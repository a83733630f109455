import CuffClinical
import Glibc

/// A temporary file that only this user can read; it is deleted with the object.
final class TemporaryFile {
    let path: String
    let descriptor: Int32

    init() throws(IngestError) {
        let folder = DriverMemory.variable("TMPDIR") ?? "/tmp"
        var template = Array("\(folder)/cuff-import-XXXXXX".utf8CString)
        descriptor = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkstemp($0) } ?? -1 }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        guard descriptor >= 0 else { throw .writing("\(folder)/cuff-import", errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    func write(_ span: Span<UInt8>) throws(ImportFault) {
        do throws(SystemFault) {
            try span.withUnsafeBytes { (bytes) throws(SystemFault) in try Descriptor.writeAll(descriptor, bytes) }
        } catch { throw .damaged("cannot write \(path): \(SystemFault.lowercased(error.number))") }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }
}

import CuffCore
import Glibc

package enum InputSource: Sendable {
    case path(String)
    /// An open descriptor, with a name for messages.
    case descriptor(Int32, name: String)
}

/// A file or stream, read in chunks as soon as bytes are available, so live input is not delayed.
final class InputFile {
    let name: String
    let kind: Descriptor.Kind
    private let descriptor: Int32
    private let isOwn: Bool
    var isStandardInput: Bool { descriptor == STDIN_FILENO }
    /// The capacity of a pipe. Chunks of 256 KiB were measured to be a fifth slower: the readings leave the processor's cache
    /// before they are printed.
    private let size = 1 << 16

    init(_ input: InputSource) throws(IngestError) {
        switch input {
        case .path("-"): (descriptor, name, isOwn) = (STDIN_FILENO, "standard input", false)
        case .descriptor(let descriptor, let name): (self.descriptor, self.name, isOwn) = (descriptor, name, false)
        case .path(let path):
            (descriptor, name, isOwn) = (try Descriptor.forReading(path), path, true)
        }
        kind = Descriptor.kind(descriptor)
        // From here on every property is set, so deinit closes the descriptor if this throws.
        if kind == .directory { throw .reading(name, EISDIR) }
        if kind == .terminal && !isOwn {
            throw IngestError(InputFault.isTerminal(name))
        }
    }

    deinit { if isOwn { close(descriptor) } }

    var isEmpty: Bool { Descriptor.size(descriptor) == 0 }

    /// `nil` at the end or when the run is stopped.
    func next(_ stop: StopSignal) throws(IngestError) -> [UInt8]? {
        if stop.isRaised { return nil }
        if kind != .regular && !LineStream.wait(descriptor, POLLIN, stop) { return nil }
        do throws(SystemFault) {
            let chunk = try Descriptor.chunk(descriptor, size)
            return chunk.isEmpty ? nil : chunk
        } catch {
            // Reading a pseudo terminal whose other end was closed fails with EIO.
            if error.number == EIO && kind != .regular { return nil }
            throw .reading(name, error.number)
        }
    }
}

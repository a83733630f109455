import CuffCore
import Glibc

/// Where the bytes come from.
public enum InputSource: Sendable {
    /// A file's path; `-` is standard input.
    case path(String)
    /// An open descriptor, with what to call it.
    case descriptor(Int32, name: String)
}

/// A file or stream read chunk by chunk; what is there is taken at once, so that live input is not held back.
final class InputFile {
    let name: String
    let kind: Descriptor.Kind
    private let descriptor: Int32
    private let isOwn: Bool
    var isStandardInput: Bool { descriptor == STDIN_FILENO }
    /// What a pipe holds at most. A quarter megabyte of a file was measured to be a fifth slower: its readings no longer
    /// stay in the processor's cache until they are printed.
    private let size = 1 << 16

    init(_ input: InputSource) throws(IngestError) {
        switch input {
        case .path("-"): (descriptor, name, isOwn) = (STDIN_FILENO, "standard input", false)
        case .descriptor(let descriptor, let name): (self.descriptor, self.name, isOwn) = (descriptor, name, false)
        case .path(let path):
            do throws(SystemFault) { descriptor = try Descriptor.open(path, O_RDONLY | O_NOCTTY) } catch {
                throw .reading(path, error.number)
            }
            (name, isOwn) = (path, true)
        }
        kind = Descriptor.kind(descriptor)
        // From here on every property is set, and deinit closes the descriptor of an initialiser that throws.
        if kind == .directory { throw .reading(name, EISDIR) }
        if kind == .terminal && !isOwn {
            throw IngestError(InputFault.isTerminal(name))
        }
    }

    deinit { if isOwn { close(descriptor) } }

    var isEmpty: Bool { Descriptor.size(descriptor) == 0 }

    /// The next bytes; `nil` at the end or when the run is stopped.
    func next(_ stop: StopSignal) throws(IngestError) -> [UInt8]? {
        if stop.isRaised { return nil }
        if kind != .regular && !stop.waitForInput(descriptor) { return nil }
        do throws(SystemFault) {
            let chunk = try Descriptor.chunk(descriptor, size)
            return chunk.isEmpty ? nil : chunk
        } catch {
            // A pseudo terminal whose other end is gone says so by an error.
            if error.number == EIO && kind != .regular { return nil }
            throw .reading(name, error.number)
        }
    }
}

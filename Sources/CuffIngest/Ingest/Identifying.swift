import CuffCore
import Dispatch
import Glibc

/// Listens to a device or reads a file, and tells which families fit. Nothing is ever written to the device.
public enum Identifying {
    public struct Report: Sendable {
        public var bytes: Int
        public var candidates: [Identification.Candidate]
        /// The bytes came from a port at these settings.
        public var line: LineSettings?

        public var text: String {
            guard !candidates.isEmpty else {
                return bytes == 0
                    ? "nothing was heard\(line.map { " at \($0.text)" } ?? ""): the cuff may be silent until it is asked, or need other settings (--line)\n"
                    : "\(bytes) bytes fit no family\(line.map { " at \($0.text)" } ?? ""): try other settings (--line)\n"
            }
            return candidates.map { candidate in
                let check = candidate.hasCheck ? "checked" : "no check, so this may be chance"
                let lines = candidate.lines.map(\.text).joined(separator: ", ")
                return "\(candidate.driver)  \(candidate.frames) frame\(candidate.frames == 1 ? "" : "s") (\(check)), "
                    + "\(candidate.bytes) of \(bytes) bytes\(lines.isEmpty ? "" : "; line \(lines)")\n"
            }.joined()
        }

        public var jsonLines: String {
            var text = TextBuffer()
            for candidate in candidates {
                text.append("{\"type\":\"candidate\",\"schema\":1,\"driver\":\"")
                text.append(word: candidate.driver)
                text.append("\",\"frames\":")
                text.append(decimal: Int64(candidate.frames))
                text.append(",\"frame_bytes\":")
                text.append(decimal: Int64(candidate.bytes))
                text.append(",\"bytes\":")
                text.append(decimal: Int64(bytes))
                text.append(candidate.hasCheck ? ",\"checked\":true" : ",\"checked\":false")
                text.append(",\"lines\":[")
                text.append(string: candidate.lines.map { "\"\($0.text)\"" }.joined(separator: ","))
                text.append("]}\n")
            }
            return text.string
        }
    }

    /// As much as is judged: a minute of the fastest documented stream is 80 KiB.
    private static let enough = 1 << 20

    public static func run(_ source: String, line: LineSettings?, limit: Duration) throws(IngestError) -> Report {
        var information = stat()
        let isDevice = source != "-" && stat(source, &information) == 0 && information.st_mode & S_IFMT == S_IFCHR
        if isDevice || source.hasPrefix("tcp://") {
            let line = line ?? LineSettings()
            let bytes = try listen(source, line, limit)
            return Report(bytes: bytes.count, candidates: Identification.candidates(for: bytes), line: line)
        }
        let bytes = try read(source)
        return Report(bytes: bytes.count, candidates: Identification.candidates(for: bytes), line: nil)
    }

    /// The cuff's side of a capture, or the bytes as they are.
    private static func read(_ source: String) throws(IngestError) -> [UInt8] {
        let file = try InputFile(.path(source))
        let stop = StopSignal()
        var bytes: [UInt8] = []
        while bytes.count < enough, let chunk = try file.next(stop) { bytes += chunk }
        var form = CaptureForms.source(for: bytes)
        var items: [CaptureItem] = []
        do throws(CaptureFault) {
            try form.read(bytes, into: &items)
            try form.finish(into: &items)
        } catch {
            // What stands whole before the cut counts; only text may turn out to be no capture at all.
            if !CaptureForms.isPcapng(bytes) { return bytes }
        }
        let heard = items.flatMap { item -> [UInt8] in
            if case .fromCuff(let bytes) = item.content { bytes } else { [] }
        }
        return heard.isEmpty ? bytes : heard
    }

    private static func listen(_ source: String, _ line: LineSettings, _ limit: Duration) throws(IngestError) -> [UInt8] {
        let listener = try Listener(source, line)
        try listener.run(for: limit)
        return listener.bytes.withLock { $0 }
    }

    private final class Listener: @unchecked Sendable {
        let bytes = Locked<[UInt8]>([])
        private let done = Gate(isOpen: false)
        private let queue = CuffQueue(label: "cuff.identify")
        private let transport: any Transport

        init(_ source: String, _ line: LineSettings) throws(IngestError) {
            transport =
                switch try TransportAddress(source) {
                case .path(let path): TTYTransport(path: path, line: line, pace: nil)
                case .tcp(let host, let port): TCPTransport(host: host, port: port, role: .connect)
                case .tcpListen(let host, let port): TCPTransport(host: host, port: port, role: .listen)
                }
        }

        func run(for limit: Duration) throws(IngestError) {
            let fault = Locked<IngestError?>(nil)
            let started = Gate(isOpen: false)
            queue.async { @Sendable in
                do throws(IngestError) { try self.transport.start(on: self.queue) { [weak self] in self?.take($0) } } catch {
                    fault.withLock { $0 = error }
                    self.done.set(open: true)
                }
                started.set(open: true)
            }
            started.pass()
            if let fault = fault.withLock({ $0 }) { throw fault }
            _ = done.pass(within: limit)
            queue.sync { self.transport.close() }
        }

        private func take(_ event: TransportEvent) {
            switch event {
            case .received(let chunk):
                let count = bytes.withLock { bytes in
                    bytes += chunk
                    return bytes.count
                }
                if count >= Identifying.enough { done.set(open: true) }
            case .closed: done.set(open: true)
            case .sent, .line: break
            }
        }
    }
}

import CuffCore
import Dispatch
import Glibc

/// Listens to a device or reads a file, and tells which families fit. Nothing is ever written to the device.
public enum Identifying {
    /// What the bytes may be.
    public struct Report: Sendable {
        /// How many bytes were judged.
        public var bytes: Int
        /// The families that fit, best first.
        public var candidates: [Identification.Candidate]
        /// The bytes came from a port at these settings.
        public var line: LineSettings?

        /// Lines for a person.
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

        /// One JSON object for each family.
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

    /// Listens to a port for `limit`, or reads a file, and judges the bytes. Never writes to the device.
    public static func run(_ source: String, line: LineSettings?, limit: Duration) throws(IngestError) -> Report {
        if let address = try address(source) {
            let line = line ?? LineSettings()
            let bytes = try listen(address, line, limit)
            return Report(bytes: bytes.count, candidates: Identification.candidates(for: bytes, among: CuffFamilies.all), line: line)
        }
        let bytes = try read(source)
        return Report(bytes: bytes.count, candidates: Identification.candidates(for: bytes, among: CuffFamilies.all), line: nil)
    }

    /// The device that is meant; `nil` for a file. A name that is there is what it is; any other is read as an address.
    private static func address(_ source: String) throws(IngestError) -> DeviceAddress? {
        var information = stat()
        guard source != "-" else { return nil }
        if stat(source, &information) == 0 { return information.st_mode & S_IFMT == S_IFCHR ? .node(source) : nil }
        guard let address = try? DeviceAddress(source) else { return nil }
        // `ttyUSB0` is /dev/ttyUSB0; any other path would have been found as it stands.
        if case .node(let path) = address {
            return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFCHR ? address : nil
        }
        do throws(ResolutionFault) {
            return try address.resolve(among: (try? DeviceEnumeration.plugged()) ?? []).address
        } catch {
            throw IngestError(error)
        }
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

    /// Everything that is heard within the time, at most `enough`.
    private static func listen(_ address: DeviceAddress, _ line: LineSettings, _ limit: Duration) throws(IngestError) -> [UInt8] {
        let transport: any Transport
        do throws(AddressFault) {
            // A node is listened to as a serial port and as nothing else: setting a CP2110 up would write to an unknown device.
            let kinds = if case .node = address { [TransportKind.tty] } else { TransportKind.all }
            transport = try address.transport(TransportKind.Request(address, medium: .tty, line: line), among: kinds)
        } catch {
            throw IngestError(
                .usage, "\(address) is not a serial port", why: "a HID device is never opened to listen to it",
                hint: "`cuff list` shows what is plugged in")
        }
        try transport.open()
        let loop = EventLoop.shared
        let heard = Locked<[UInt8]>([])
        let fault = Locked<IngestError?>(nil)
        let done = Gate(isOpen: false)
        let closed = Gate(isOpen: false)
        let bound = LoopBound(transport)
        loop.async {
            do throws(IngestError) {
                try bound.value.start(on: loop) { event in
                    switch event {
                    case .received(let chunk):
                        let count = heard.withLock { bytes in
                            bytes += chunk
                            return bytes.count
                        }
                        if count >= enough { done.set(open: true) }
                    case .closed:
                        done.set(open: true)
                        closed.set(open: true)
                    case .opened, .sent, .line: break
                    }
                }
            } catch {
                fault.withLock { $0 = error }
                done.set(open: true)
                closed.set(open: true)
            }
        }
        _ = done.pass(within: limit)
        loop.async { bound.value.close() }
        closed.pass()
        if let error = fault.withLock({ $0 }) { throw error }
        return heard.withLock { $0 }
    }
}

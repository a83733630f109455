import CuffCore
import Dispatch
import Glibc

/// Names the family of a device or of a recording. A capture's header is believed first, then a cuff's own USB ids; a port is
/// listened to. Nothing is ever written to the device, and no HID or USB device is opened.
public enum Identifying {
    /// Who says what it is, beside its bytes.
    public enum Word: Sendable, Hashable {
        /// A capture's header names this driver, which may be none of this program's.
        case header(String, isKnown: Bool)
        /// Its USB ids, class or assignment, in words.
        case claim(DriverID, String)

        /// The name of the driver.
        var driver: String {
            switch self {
            case .header(let name, _): name
            case .claim(let driver, _): driver.description
            }
        }

        /// One clause for a person.
        var reason: String {
            switch self {
            case .header(_, true): "the capture's header says so"
            case .header(_, false): "the capture's header says so, and this program has no such driver"
            case .claim(_, let sentence): sentence
            }
        }
    }

    /// What it is, or what the bytes may be.
    public struct Report: Sendable {
        /// How many bytes were judged.
        public var bytes = 0
        /// The families that fit the bytes, best first.
        public var candidates: [Identification.Candidate] = []
        /// The bytes came from a port at these settings; `nil` for a file, whose line nobody can set.
        public var line: LineSettings?
        /// What was said without the bytes.
        public var word: Word?

        /// Neither a word nor bytes name a family.
        public var isEmpty: Bool { candidates.isEmpty && word == nil }

        /// Lines for a person.
        public var text: String {
            guard !isEmpty else {
                let place = line.map { " at \($0.text)" } ?? ""
                if bytes > 0 { return "\(bytes) bytes fit no family\(place)\(line == nil ? "" : ": try other settings (--line)")\n" }
                return line == nil
                    ? "it holds no bytes of a cuff\n"
                    : "nothing was heard\(place): the cuff may be silent until it is asked, or need other settings (--line)\n"
            }
            let named = word.map { word in
                let own = candidates.first { $0.driver.description == word.driver }
                let found = own.map { evidence($0) } ?? (bytes > 0 ? "its bytes show nothing of it" : "")
                return "\(StandardErrorLog.harmless(word.driver))  \(word.reason)\(found.isEmpty ? "" : "; \(found)")\n"
            }
            return (named ?? "") + others.map { "\($0.driver)  \(evidence($0))\n" }.joined()
        }

        /// Those to be told beside what was said: a word is contradicted by likely ones only.
        private var others: [Identification.Candidate] {
            guard let word else { return candidates }
            return candidates.filter { $0.driver.description != word.driver && $0.isLikely }
        }

        private func evidence(_ candidate: Identification.Candidate) -> String {
            var parts: [String] = []
            if candidate.readings > 0 { parts.append("\(candidate.readings) reading\(candidate.readings == 1 ? "" : "s")") }
            if candidate.frames > 0 {
                let check = candidate.hasCheck ? "checked" : candidate.isLikely ? "no check" : "no check, so this may be chance"
                parts.append(
                    "\(candidate.frames) frame\(candidate.frames == 1 ? "" : "s") (\(check)), \(candidate.bytes) of \(bytes) bytes")
            }
            let lines = line == nil ? "" : candidate.lines.map(\.text).joined(separator: ", ")
            return parts.joined(separator: ", ") + (lines.isEmpty ? "" : "; line \(lines)")
        }

        /// One JSON object for each family. `by` says who names it: `header`, `claim` or `bytes`.
        public var jsonLines: String {
            var text = TextBuffer()
            if let word {
                let own = candidates.first { $0.driver.description == word.driver }
                let by = if case .header = word { "header" } else { "claim" }
                append(word.driver, by: by, own, to: &text)
            }
            for candidate in others { append(candidate.driver.description, by: "bytes", candidate, to: &text) }
            return text.string
        }

        private func append(_ driver: String, by: String, _ candidate: Identification.Candidate?, to text: inout TextBuffer) {
            text.append("{\"type\":\"candidate\",\"schema\":1,\"driver\":\"")
            text.append(string: StandardErrorLog.harmless(driver).replacing("\\", with: "?").replacing("\"", with: "?"))
            text.append("\",\"by\":\"")
            text.append(string: by)
            text.append("\",\"bytes\":")
            text.append(decimal: Int64(bytes))
            if let candidate {
                text.append(",\"frames\":")
                text.append(decimal: Int64(candidate.frames))
                text.append(",\"frame_bytes\":")
                text.append(decimal: Int64(candidate.bytes))
                text.append(",\"readings\":")
                text.append(decimal: Int64(candidate.readings))
                text.append(candidate.hasCheck ? ",\"checked\":true" : ",\"checked\":false")
                if line != nil {
                    text.append(",\"lines\":[")
                    text.append(string: candidate.lines.map { "\"\($0.text)\"" }.joined(separator: ","))
                    text.append("]")
                }
            }
            text.append("}\n")
        }
    }

    /// As much as is judged: a minute of the fastest documented stream is 80 KiB.
    private static let enough = 1 << 20

    /// Names a device by its ids, or listens to a port for `limit`, or reads a file. Never writes to the device.
    public static func run(_ source: String, line: LineSettings?, limit: Duration) throws(IngestError) -> Report {
        guard let address = try address(source) else { return try read(source) }
        if let word = try claim(on: address, among: (try? DeviceEnumeration.plugged()) ?? []) { return Report(word: word) }
        let line = line ?? LineSettings()
        let items = try listen(address, line, limit)
        // A port never carries what only HID reports do.
        let serial = CuffFamilies.all.filter { $0.medium == .tty }
        return Report(
            bytes: Self.bytes(items).count, candidates: Identification.candidates(of: items, among: serial), line: line)
    }

    /// What a plugged device says of itself by its own ids or its USB class, as sysfs shows them; nothing is opened for it. `nil` where
    /// it has to be listened to; throws for a HID or USB device that says nothing, because none is opened for listening.
    static func claim(on address: DeviceAddress, among plugged: [PluggedDevice]) throws(IngestError) -> Word? {
        guard let device = plugged.first(where: { address.matches($0) }) else { return nil }
        let verdict = Claiming.verdict(on: device)
        if case .claimed(let driver, let reason) = verdict, reason.isOwnID { return .claim(driver, verdict.sentence(for: device)) }
        guard device.subsystem == .tty else { throw IngestError(DeviceFault.notSerial("\(address)")) }
        return nil
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

    /// What a capture says of itself, and its bytes or those of any other file.
    private static func read(_ source: String) throws(IngestError) -> Report {
        let file = try InputFile(.path(source))
        let stop = StopSignal()
        var bytes: [UInt8] = []
        while bytes.count < enough, let chunk = try file.next(stop) { bytes += chunk }
        var form = CaptureForms.source(for: bytes)
        var items: [CaptureItem] = []
        var isCapture = CaptureForms.isPcapng(bytes) || CaptureForms.isText(bytes)
        do throws(CaptureFault) {
            try form.read(bytes, into: &items)
            try form.finish(into: &items)
            isCapture = isCapture || !items.isEmpty
        } catch {
            // What stands whole before the cut counts; text may turn out to be no capture at all.
        }
        guard isCapture else {
            let plain = [CaptureItem(.fromCuff(bytes))]
            return Report(bytes: bytes.count, candidates: Identification.candidates(of: plain, among: CuffFamilies.all))
        }
        let heard = Self.bytes(items)
        return Report(
            bytes: heard.count, candidates: Identification.candidates(of: items, among: CuffFamilies.all), word: word(of: form))
    }

    /// The driver that the header names, else that of a recorded device's own USB ids.
    private static func word(of form: any CaptureSource) -> Word? {
        if let name = form.header["driver"], !name.isEmpty { return .header(name, isKnown: CuffFamilies.named(name) != nil) }
        return form.impliedDriver.map { .claim($0, "the recorded device has this cuff's own USB ids") }
    }

    private static func bytes(_ items: [CaptureItem]) -> [UInt8] {
        items.flatMap { item -> [UInt8] in
            if case .fromCuff(let bytes) = item.content { bytes } else { [] }
        }
    }

    /// Everything that is heard within the time, at most `enough`, with the time at which it came: a pause ends some frames.
    private static func listen(_ address: DeviceAddress, _ line: LineSettings, _ limit: Duration) throws(IngestError) -> [CaptureItem] {
        let transport: any Transport
        do throws(AddressFault) {
            // A node is listened to as a serial port and as nothing else: setting a CP2110 up would write to an unknown device.
            let kinds = if case .node = address { [TransportKind.tty] } else { TransportKind.all }
            transport = try address.transport(TransportKind.Request(address, medium: .tty, line: line), among: kinds)
        } catch {
            throw IngestError(DeviceFault.notSerial("\(address)"))
        }
        try transport.open()
        let loop = EventLoop.shared
        let heard = Locked<(count: Int, items: [CaptureItem])>((0, []))
        let start = HostClock.monotonic()
        let fault = Locked<IngestError?>(nil)
        let done = Gate(isOpen: false)
        let closed = Gate(isOpen: false)
        let bound = LoopBound(transport)
        loop.async {
            do throws(IngestError) {
                try bound.value.start(on: loop) { event in
                    switch event {
                    case .received(let chunk):
                        let count = heard.withLock { heard in
                            heard.items.append(CaptureItem(time: (HostClock.monotonic() - start) / 1000, .fromCuff(chunk)))
                            heard.count += chunk.count
                            return heard.count
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
        return heard.withLock { $0.items }
    }
}

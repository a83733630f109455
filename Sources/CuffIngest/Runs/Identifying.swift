import CuffCore
import Glibc

/// Finds the family of a device or recording. A capture's header has precedence, then a cuff's own USB ids; otherwise a port is
/// listened to. Nothing is written to the device, and no HID or USB device is opened.
package enum Identifying {
    package enum Word: Sendable, Hashable {
        /// The driver in a capture's header, possibly unknown.
        case header(String, isKnown: Bool)
        /// USB ids, class or assignment; the text names which.
        case claim(DriverID, String)

        package var driver: String {
            switch self {
            case .header(let name, _): name
            case .claim(let driver, _): driver.description
            }
        }
    }

    package struct Report: Sendable {
        package var bytes = 0
        /// Best match first.
        package var candidates: [Identification.Candidate] = []
        /// The settings of the port; `nil` for a file.
        package var line: LineSettings?
        /// Evidence other than the bytes.
        package var word: Word?
        /// The bytes from the port, and the start of listening.
        var heard: [CaptureItem] = []
        var start: Timestamp?
        /// Of a run that a signal cut short; otherwise `done`.
        package var ending = RunStatus.done

        package var isEmpty: Bool { candidates.isEmpty && word == nil }
    }

    /// The most bytes examined: a minute of the fastest documented stream is 80 KiB.
    private static let enough = 1 << 20

    /// Identifies a device by its ids, or listens to a port for `limit` or until `stop`, or reads a file. Never writes to the device.
    package static func run(
        _ source: String, line: LineSettings?, limit: Duration, stop: StopSignal = StopSignal()
    ) throws(IngestError) -> Report {
        guard let address = try address(source) else { return try read(source, stop) }
        if let word = try claim(on: address, among: (try? DeviceEnumeration.plugged()) ?? []) { return Report(word: word) }
        let line = line ?? LineSettings()
        let start = HostClock.now()
        let items = try listen(address, line, limit, stop)
        // A serial port cannot be a HID cuff.
        let serial = CuffFamilies.all.filter { $0.medium == .tty }
        return Report(
            bytes: Self.bytes(items).count, candidates: Identification.candidates(of: items, among: serial), line: line, heard: items,
            start: start, ending: stop.ending)
    }

    /// Identifies a connected device by its ids or USB class in sysfs, without opening it. `nil` if it must be listened to;
    /// throws for a HID or USB device without known ids, which is not opened to listen.
    static func claim(
        on address: DeviceAddress, among plugged: [PluggedDevice]
    ) throws(IngestError) -> Word? {
        guard let device = plugged.first(where: { address.matches($0) }) else { return nil }
        let verdict = Claiming.verdict(on: device)
        if case .claimed(let driver, let reason) = verdict, reason.isOwnID { return .claim(driver, verdict.sentence(for: device)) }
        guard device.subsystem == .tty else { throw IngestError(DeviceFault.notSerial("\(address)")) }
        return nil
    }

    /// `nil` for a file. An existing path has precedence over an address.
    private static func address(_ source: String) throws(IngestError) -> DeviceAddress? {
        var information = stat()
        guard source != "-" else { return nil }
        if stat(source, &information) == 0 { return information.st_mode & S_IFMT == S_IFCHR ? .node(source) : nil }
        guard let address = try? DeviceAddress(source) else { return nil }
        // `ttyUSB0` is /dev/ttyUSB0; any other path would exist.
        if case .node(let path) = address {
            if stat(path, &information) == 0 { return information.st_mode & S_IFMT == S_IFCHR ? address : nil }
            // Elsewhere a file is meant.
            if path.hasPrefix("/dev/") { throw .device(path, errno) }
            return nil
        }
        do throws(ResolutionFault) {
            return try address.resolve(among: (try? DeviceEnumeration.plugged()) ?? []).address
        } catch {
            throw IngestError(error)
        }
    }

    /// Reads a capture's header and bytes, or the bytes of any other file.
    private static func read(_ source: String, _ stop: StopSignal) throws(IngestError) -> Report {
        let (items, form) = try recorded(source, stop)
        return Report(
            bytes: bytes(items).count, candidates: Identification.candidates(of: items, among: CuffFamilies.all),
            word: form.flatMap { word(of: $0) }, ending: stop.ending)
    }

    /// The draft of a driver's sheet for the recording of an unknown device.
    package static func draft(_ source: String) throws(IngestError) -> RecordingDraft {
        let (items, form) = try recorded(source, StopSignal())
        return RecordingDraft(items, line: form?.header["line"])
    }

    /// At most `enough` bytes of a file: a capture's items and its form, or the bytes of any other file without a form.
    private static func recorded(
        _ source: String, _ stop: StopSignal
    ) throws(IngestError) -> (items: [CaptureItem], form: (any CaptureSource)?) {
        let file = try InputFile(.path(source))
        var bytes: [UInt8] = []
        while bytes.count < enough, let chunk = try file.next(stop) { bytes += chunk }
        try CaptureForms.refuseOthers(bytes, file.name)
        var form = CaptureForms.source(for: bytes)
        var items: [CaptureItem] = []
        var isCapture = CaptureForms.isPcapng(bytes) || CaptureForms.isText(bytes)
        do throws(CaptureFault) {
            try form.read(bytes, into: &items)
            try form.finish(into: &items)
            isCapture = isCapture || !items.isEmpty
        } catch {
            // Use what was read before the fault; a text may turn out not to be a capture.
        }
        return isCapture ? (items, form) : ([CaptureItem(.fromCuff(bytes))], nil)
    }

    /// The driver of the header, else that of the recorded device's own USB ids.
    private static func word(of form: any CaptureSource) -> Word? {
        if let name = form.header["driver"], !name.isEmpty {
            return .header(name, isKnown: CuffFamilies.all.contains { $0.id.description == name })
        }
        return form.impliedDriver.map { .claim($0, "the recorded device has this cuff's own USB ids") }
    }

    private static func bytes(_ items: [CaptureItem]) -> [UInt8] {
        items.flatMap { item -> [UInt8] in
            if case .fromCuff(let bytes) = item.content { bytes } else { [] }
        }
    }

    /// Everything received within the time, at most `enough`, with arrival times, because a pause ends some frames.
    private static func listen(
        _ address: DeviceAddress, _ line: LineSettings, _ limit: Duration, _ stop: StopSignal
    ) throws(IngestError) -> [CaptureItem] {
        let transport: any Transport
        do throws(AddressFault) {
            // Only as a serial port: configuring a CP2110 would write to an unknown device.
            let kinds = if case .node = address { [TransportKind.tty] } else { TransportKind.all }
            transport = try address.transport(TransportKind.Request(address: address, medium: .tty, line: line), among: kinds)
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
                    case .closed(let reason):
                        let lost = reason as? TransportFault
                        let never = lost?.neverOpened("\(address)").map { IngestError($0) }
                        let ended = lost.map { LinkFault.lost("\(address)", $0) } ?? .closedUnused("\(address)")
                        fault.withLock { $0 = never ?? IngestError(ended) }
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
        let number = stop.whenRaised { done.set(open: true) }
        defer { stop.forget(number) }
        _ = done.pass(within: limit)
        // Closing is reported like a loss.
        let lost = fault.withLock { $0 }
        loop.async { bound.value.close() }
        closed.pass()
        let items = heard.withLock { $0.items }
        // What came before the connection was lost can be identified, too.
        if items.isEmpty, let lost { throw lost }
        return items
    }
}

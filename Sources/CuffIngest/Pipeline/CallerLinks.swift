import CuffCore

/// The links of all callers of one port, which share a pipeline and do not delay each other. A caller that does not associate
/// within the protocol's time limit is dropped.
final class CallerLinks {
    /// Callers at once; further ones are hung up on. Each costs a session and a buffer.
    static let limit = 64

    struct Setup: Sendable {
        var driver: CuffDriver
        var commands: [SessionCommand]
        var device = ""
        var options: [String: String] = [:]
        var memory: DriverMemory?
        var filter: ReadingFilter?
        var zone: ZoneTable?
        /// At the limit, callers that have sent no frame for this long are hung up on. Below it a monitor may be silent until its
        /// first result.
        var patience = Duration.seconds(10)
        /// Wraps each caller's transport, for example to record it.
        var wrap: @Sendable (TCPTransport, Int) -> any Transport = { transport, _ in transport }
    }

    enum Notice: Sendable {
        case came(String)
        case link(String, LinkNotice)
        case left(String, Outcome, LinkCounters, remaining: Int)
        case refused(String)
        /// After `stop`: all callers have left.
        case empty
    }

    let listener: TCPListener
    private let setup: Setup
    private let pipeline: Pipeline
    private let notify: (Notice) -> Void
    private let loop: EventLoop
    private var links: [Int: (link: CuffLink, place: String, since: Int64)] = [:]
    private var next = 0
    private var opening = 0
    private var closed = LinkCounters()
    private var isStopping = false

    /// The port is bound on return. `notify` is called on the loop and must not block.
    init(
        _ host: String, _ port: Int, _ setup: Setup, _ pipeline: Pipeline, on loop: EventLoop = .shared,
        notify: @escaping (Notice) -> Void
    ) throws(IngestError) {
        listener = try TCPListener(host: host, port: port, on: loop)
        self.setup = setup
        self.pipeline = pipeline
        self.loop = loop
        self.notify = notify
    }

    func start() throws(IngestError) { try listener.start { [weak self] in self?.accept($0) } }

    /// Closes the port, then every link; `Notice.empty` reports the end.
    func stop() {
        listener.close()
        guard !isStopping else { return }
        isStopping = true
        for caller in links.values { caller.link.handle(.stop(within: MeasurementState.deflationWait + .seconds(1))) }
        if count == 0 { notify(.empty) }
    }

    var driver: DriverID { setup.driver.id }
    var counters: LinkCounters { links.values.reduce(into: closed) { $0 += $1.link.counters } }
    var count: Int { links.count + opening }

    private func accept(_ transport: TCPTransport) {
        guard !isStopping, count < Self.limit else {
            transport.refuse()
            hangUpOnSilent()
            return notify(.refused(transport.address))
        }
        next += 1
        opening += 1
        let (number, place) = (next, transport.address)
        let (me, transport, setup) = (LoopBound(self), LoopBound(transport), setup)
        notify(.came(place))
        loop.offload({ () -> (LoopBound<any Transport>, LinkState.Setup) in
            var link = LinkState.Setup.remembering(
                setup.driver, device: setup.device, options: setup.options, memory: setup.memory, commands: setup.commands)
            link.zone = setup.zone ?? HostZone.local()
            link.silenceLimit = setup.driver.associationLimit
            if let filter = setup.filter { link.accepts = { filter.accepts($0) } }
            return (LoopBound(setup.wrap(transport.value, number)), link)
        }) { made in
            me.value.begin(number, place, made.0.value, made.1)
        }
    }

    private func hangUpOnSilent() {
        let latest = HostClock.monotonic() - setup.patience.nanoseconds
        for caller in links.values where caller.since < latest && caller.link.counters.frames == 0 {
            caller.link.handle(.stop(within: .seconds(1)))
        }
    }

    private func begin(_ number: Int, _ place: String, _ transport: any Transport, _ setup: LinkState.Setup) {
        opening -= 1
        var setup = setup
        setup.keepsReadings = pipeline.isDurable
        let link = CuffLink(setup, transport: transport, pipeline: pipeline, memory: self.setup.memory, on: loop) { [weak self] in
            self?.handle($0, number, place)
        }
        links[number] = (link, place, HostClock.monotonic())
        link.start()
        if isStopping { link.handle(.stop(within: MeasurementState.deflationWait + .seconds(1))) }
    }

    private func handle(_ notice: LinkNotice, _ number: Int, _ place: String) {
        notify(.link(place, notice))
        guard case .ended(let outcome) = notice, let link = links.removeValue(forKey: number)?.link else { return }
        closed += link.counters
        notify(.left(place, outcome, link.counters, remaining: links.count))
        if isStopping && count == 0 { notify(.empty) }
    }
}

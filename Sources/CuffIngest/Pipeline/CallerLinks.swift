import CuffCore
import Dispatch

/// The links of everybody who calls one port: each caller has its own, all end in the same pipeline, and none holds up
/// another. A caller that says nothing in the time the protocol allows for an association is dropped.
final class CallerLinks: @unchecked Sendable {
    /// Callers at once; whoever comes beyond is hung up on. Each costs a session and a buffer.
    static let limit = 64

    struct Setup: Sendable {
        var driver: CuffDriver
        var commands: [SessionCommand]
        var device = ""
        var options: [String: String] = [:]
        var memory: DriverMemory?
        var filter: ReadingFilter?
        /// What is put around each caller's transport, e.g. a recording.
        var wrap: @Sendable (TCPTransport, Int) -> any Transport = { transport, _ in transport }
    }

    enum News: Sendable {
        case came(String)
        case event(String, LinkEvent)
        /// The caller left, with what it gave; `remaining` others are there.
        case left(String, Outcome, IngestCounters, remaining: Int)
        case refused(String)
        /// After `stop`: everybody has left.
        case empty
    }

    let listener: TCPListener
    private let setup: Setup
    private let pipeline: Pipeline
    private let hear: @Sendable (News) -> Void
    private let queue = DispatchQueue(label: "cuff.callers")

    // Touched on `queue` alone.
    private var links: [Int: (link: CuffLink, place: String)] = [:]
    private var next = 0
    private var closed = IngestCounters()
    private var isStopping = false

    /// The port is bound when this returns. `hear` is called on the callers' queue.
    init(_ host: String, _ port: Int, _ setup: Setup, _ pipeline: Pipeline, hear: @escaping @Sendable (News) -> Void) throws(IngestError) {
        listener = try TCPListener(host: host, port: port)
        self.setup = setup
        self.pipeline = pipeline
        self.hear = hear
    }

    func start() throws(IngestError) {
        try listener.start { [weak self] transport in
            guard let self else { return transport.close() }
            queue.async { @Sendable in self.take(transport) }
        }
    }

    /// Closes the port, then every link in order; `News.empty` tells when the last has gone.
    func stop() {
        listener.close()
        queue.async { @Sendable in
            guard !self.isStopping else { return }
            self.isStopping = true
            for (link, _) in self.links.values { link.stop() }
            if self.links.isEmpty { self.hear(.empty) }
        }
    }

    var counters: IngestCounters { queue.sync { links.values.reduce(into: closed) { $0 += $1.link.counters } } }
    var count: Int { queue.sync { links.count } }

    private func take(_ transport: TCPTransport) {
        guard !isStopping, links.count < Self.limit else {
            transport.refuse()
            return hear(.refused(transport.address))
        }
        next += 1
        let number = next
        let place = transport.address
        let link = CuffLink(
            driver: setup.driver, device: setup.device, transport: setup.wrap(transport, number), pipeline: pipeline,
            options: setup.options, memory: setup.memory, filter: setup.filter
        ) { [weak self] event in
            guard let self else { return }
            queue.async { @Sendable in self.take(event, number, place) }
        }
        links[number] = (link, place)
        hear(.came(place))
        if let limit = setup.driver.associationLimit { link.dropIfSilent(after: limit) }
        link.start(setup.commands)
    }

    private func take(_ event: LinkEvent, _ number: Int, _ place: String) {
        hear(.event(place, event))
        guard case .ended(let outcome, _) = event, let (link, _) = links.removeValue(forKey: number) else { return }
        closed += link.counters
        hear(.left(place, outcome, link.counters, remaining: links.count))
        if isStopping && links.isEmpty { hear(.empty) }
    }
}

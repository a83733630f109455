import CuffCore

/// A link that another thread controls: every call runs on the loop.
struct LinkHandle: Sendable {
    private let link: LoopBound<CuffLink>
    private let loop: EventLoop

    /// `notify` is called on the loop, and must not block.
    init(
        _ setup: LinkState.Setup, transport: any Transport, pipeline: Pipeline, memory: DriverMemory? = nil,
        on loop: EventLoop = .shared, notify: @escaping (LinkNotice) -> Void = { _ in }
    ) {
        link = LoopBound(CuffLink(setup, transport: transport, pipeline: pipeline, memory: memory, on: loop, notify: notify))
        self.loop = loop
    }

    /// Opens the device and executes the commands of the setup.
    func start() { loop.async { [link] in link.value.start() } }

    /// Passes an event to the link, on the loop. Callable from any thread; returns at once.
    func send(_ event: LinkEvent) { loop.async { [link] in link.value.handle(event) } }

    /// Ends in order: a measurement is stopped and the cuff deflated, then the line is closed.
    func stop(within limit: Duration = Measurement.deflationWait + .seconds(1)) { send(.stop(within: limit)) }

    /// What went through so far. Waits for the loop.
    var counters: LinkCounters { loop.sync { [link] in link.value.counters } }
    /// Why the transport could not be opened; `nil` if it could. Waits for the loop.
    var openingFault: IngestError? { loop.sync { [link] in link.value.openingFault } }
    /// Why the transport ended; `nil` if it has not, or in order. Waits for the loop.
    var transportFault: TransportFault? { loop.sync { [link] in link.value.transportFault } }
}

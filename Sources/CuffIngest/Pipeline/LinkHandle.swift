import CuffCore

/// Controls a link from another thread: every call runs on the loop.
struct LinkHandle: Sendable {
    private let link: LoopBound<CuffLink>
    private let loop = EventLoop.shared

    /// `notify` is called on the loop and must not block.
    init(
        _ setup: LinkState.Setup, transport: any Transport, pipeline: Pipeline, memory: DriverMemory? = nil,
        notify: @escaping (LinkNotice) -> Void = { _ in }
    ) {
        link = LoopBound(CuffLink(setup, transport: transport, pipeline: pipeline, memory: memory, on: loop, notify: notify))
    }

    /// Opens the device and executes the commands of the setup.
    func start() { loop.async { [link] in link.value.start() } }

    /// Returns at once.
    func send(_ event: LinkEvent) { loop.async { [link] in link.value.handle(event) } }

    /// Stops a measurement and deflates the cuff, then closes the line.
    func stop(within limit: Duration = MeasurementState.deflationWait + .seconds(1)) { send(.stop(within: limit)) }

    /// Waits for the loop.
    var counters: LinkCounters { loop.sync { [link] in link.value.counters } }
    /// Why the transport could not be opened. Waits for the loop.
    var openingFault: IngestError? { loop.sync { [link] in link.value.openingFault } }
    /// Why the transport ended; `nil` if it has not, or was closed. Waits for the loop.
    var transportFault: TransportFault? { loop.sync { [link] in link.value.transportFault } }
}

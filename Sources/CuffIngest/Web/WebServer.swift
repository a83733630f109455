import CuffCore

/// The program's HTTP server. It runs on the loop, answers one request per connection, and keeps viewers of `/events`. The site
/// provides the responses.
final class WebServer {
    struct Site: Sendable {
        enum Answer: Sendable {
            case response(HTTPResponse)
            case viewer
        }
        /// Called on a worker, because it may read the database.
        var answer: @Sendable (HTTPRequest) -> Answer
        /// Decides who gets an answer.
        var access = WebAccess()
        /// Events since the last call, as server-sent events. Called on the loop.
        var news: @Sendable () -> [UInt8] = { [] }
    }

    /// Connections, including viewers. A further one replaces the one that was silent longest; viewers only if all are viewers.
    static let limit = 32
    private static let mostOpen = 4 * limit
    /// How long a client may send the rest of a rejected request.
    private static let lingering = Duration.seconds(2)
    /// Requests that are answered at the same time; the others wait. The other workers open and close cuffs.
    private static let mostAnswered = 2
    /// The size of the pieces in which responses are written: a client that reads none within `patience` is gone.
    private static let piece = 64 << 10
    private static let pause = Duration.milliseconds(100)
    /// How often a viewer is checked: it ends when the token is revoked.
    private static let checking = Duration.seconds(10)
    /// The first event of a viewer: reconnect after two seconds.
    private static let greeting = Array((HTTPResponse.head("200 OK", "text/event-stream") + "\r\nretry: 2000\n\n").utf8)

    private struct Caller {
        var state: WebConnection
        var transport: TCPTransport
        var limit: LoopTimer
        /// Set for a viewer: what it asked, with its token.
        var request: HTTPRequest?
        /// The part of the output that was not given to the transport yet.
        var rest: ArraySlice<UInt8> = []
        var isWriting = false
        /// The time of the last input or output, in nanoseconds.
        var active: Int64
        var isClosing = false
    }

    /// `127.0.0.1:6025`, with the bound port.
    let address: String
    private let listener: TCPListener
    private let host: String
    private let site: Site
    private let loop: EventLoop
    /// For a client that sends no request, or does not read its response.
    private let patience: Duration
    private var callers: [Int: Caller] = [:]
    private var asked: [(number: Int, request: HTTPRequest)] = []
    private var answered = 0
    private var next = 0
    private var isTelling = false
    private var isStopped = false
    private lazy var timer = LoopTimer(loop) { [weak self] in
        self?.isTelling = false
        self?.notifyIfNews()
    }
    private lazy var quiet = LoopTimer(loop) { [weak self] in self?.notifyIfNews() }

    /// Binds the port; 0 takes any free one, and no host means loopback.
    init(host: String, port: Int, _ site: Site, patience: Duration = .seconds(5), on loop: EventLoop = .shared) throws(IngestError) {
        listener = try TCPListener(host: host, port: port, named: WebAddress(host: host, port: port).description, on: loop)
        self.host = host.isEmpty ? "127.0.0.1" : host
        self.site = site
        self.patience = patience
        self.loop = loop
        let shown = self.host.contains(":") ? "[\(self.host)]" : self.host
        address = "\(shown):\(listener.port)"
    }

    /// Must not be called on the loop.
    func start() throws(IngestError) {
        let me = LoopBound(self)
        try loop.sync {
            Result { () throws(IngestError) in try me.value.listener.start { [weak server = me.value] in server?.accept($0) } }
        }.get()
    }

    /// Closes the port and all connections. Must not be called on the loop.
    func stop() {
        let me = LoopBound(self)
        loop.sync {
            me.value.isStopped = true
            me.value.listener.close()
            me.value.timer.set(nil)
            me.value.quiet.set(nil)
            for number in me.value.callers.keys { me.value.close(number) }
        }
    }

    /// Schedules an update of the viewers. On the loop.
    func newsArrived() {
        guard !isStopped, !isTelling, callers.values.contains(where: \.state.isViewer) else { return }
        isTelling = true
        timer.set(after: Self.pause)
    }

    private func notifyIfNews() {
        // An expired entry is an update as well, and so is a reading that another program changed.
        if callers.values.contains(where: \.state.isViewer) { quiet.set(after: WebBoard.silence + .seconds(1)) }
        let message = site.news()
        guard !message.isEmpty else { return }
        for (number, caller) in callers where caller.state.isViewer { write(message, to: number) }
    }

    // MARK: Callers

    private func accept(_ transport: TCPTransport) {
        guard !isStopped, callers.count < Self.mostOpen else { return transport.refuse() }
        makeRoom()
        next += 1
        let number = next
        let limit = LoopTimer(loop) { [weak self] in self?.limitReached(number) }
        callers[number] = Caller(state: WebConnection(ownHost: host), transport: transport, limit: limit, active: HostClock.monotonic())
        limit.set(after: patience)
        do throws(IngestError) {
            try transport.open()
            try transport.start(on: loop) { [weak self] in self?.hear($0, number) }
        } catch { callers[number] = nil }
    }

    private func makeRoom() {
        let open = callers.filter { !$0.value.isClosing }
        guard open.count >= Self.limit else { return }
        let quietest = open.min { a, b in
            (a.value.state.isViewer ? 1 : 0, a.value.active) < (b.value.state.isViewer ? 1 : 0, b.value.active)
        }
        if let quietest { close(quietest.key) }
    }

    private func hear(_ event: TransportEvent, _ number: Int) {
        callers[number]?.active = HostClock.monotonic()
        switch event {
        case .opened, .line: break
        case .received(let bytes): act(on: callers[number]?.state.receive(bytes), number)
        case .sent(let bytes):
            callers[number]?.isWriting = false
            writePiece(to: number)
            act(on: callers[number]?.state.sent(bytes.count), number)
        case .closed:
            callers[number]?.limit.set(nil)
            callers[number] = nil
        }
    }

    private func act(on step: WebConnection.Step?, _ number: Int) {
        switch step {
        case .wait?, nil: break
        case .ask(let request)?:
            callers[number]?.limit.set(nil)
            asked.append((number, request))
            answerNext()
        case .answer(let response)?: write(response.bytes(), to: number)
        case .finish?:
            callers[number]?.transport.finishWriting()
            callers[number]?.limit.set(after: Self.lingering)
        case .close?: close(number)
        }
    }

    private func answerNext() {
        while answered < Self.mostAnswered, !asked.isEmpty {
            let (number, request) = asked.removeFirst()
            guard callers[number]?.isClosing == false else { continue }
            answered += 1
            let (me, site) = (LoopBound(self), site)
            loop.offload({ site.access.refusal(request).map { .response($0) } ?? site.answer(request) }) { answer in
                me.value.answered -= 1
                me.value.answer(answer, request, number)
                me.value.answerNext()
            }
        }
    }

    private func answer(_ answer: Site.Answer, _ request: HTTPRequest, _ number: Int) {
        guard callers[number] != nil else { return }
        switch answer {
        case .response(let response): write(response.bytes(isHead: request.isHead), to: number)
        case .viewer where request.isHead:
            write(HTTPResponse([], type: "text/event-stream").bytes(isHead: true), to: number)
        case .viewer:
            callers[number]?.state.follow()
            callers[number]?.request = request
            callers[number]?.limit.set(after: Self.checking)
            write(Self.greeting, to: number)
            newsArrived()
        }
    }

    private func limitReached(_ number: Int) {
        guard let caller = callers[number], !caller.isClosing, caller.state.isViewer, let request = caller.request else {
            return close(number)
        }
        let (me, access) = (LoopBound(self), site.access)
        loop.offload({ access.refusal(request) == nil }) { isAllowed in
            guard isAllowed else { return me.value.close(number) }
            me.value.callers[number]?.limit.set(after: Self.checking)
        }
    }

    private func write(_ bytes: [UInt8], to number: Int) {
        guard let step = callers[number]?.state.send(bytes.count) else { return }
        guard step == .wait else { return close(number) }
        callers[number]?.rest += bytes
        writePiece(to: number)
    }

    private func writePiece(to number: Int) {
        guard let caller = callers[number], !caller.isWriting, !caller.rest.isEmpty else { return }
        let piece = Array(caller.rest.prefix(Self.piece))
        callers[number]?.rest.removeFirst(piece.count)
        callers[number]?.isWriting = true
        if !caller.state.isViewer { caller.limit.set(after: patience) }
        caller.transport.write(piece)
    }

    private func close(_ number: Int) {
        callers[number]?.isClosing = true
        callers[number]?.limit.set(nil)
        callers[number]?.transport.close()
    }
}

import CuffCore

/// The HTTP servers of a watch: the live page, and the counters on another port. A port that cannot be opened is reported and
/// retried; reading cuffs goes ahead.
final class WatchServers {
    /// The state shown on the live page, a sink of the run; `nil` without a page.
    private(set) var board: WebBoard?
    private var servers: [RetriedServer] = []
    private let notify: @Sendable (WatchNotice) -> Void

    /// Binds the ports and begins to answer, as far as they are free.
    init(_ watch: WatchOptions, _ options: IngestOptions, _ facts: WebSite.Facts) {
        notify = watch.notices
        let explain = options.explain
        if let port = watch.metricsPort {
            let site = WebSite(nil, database: nil, zone: nil, generator: watch.generator, facts)
            add("metrics", WebAddress(host: "", port: port), path: "/metrics", explain) { .init { site.answer($0) } }
        }
        if let address = watch.web { serve(address, watch, options, facts) }
    }

    private func serve(_ address: WebAddress, _ watch: WatchOptions, _ options: IngestOptions, _ facts: WebSite.Facts) {
        let wake = Locked<(@Sendable () -> Void)?>(nil)
        let board = WebBoard(names: watch.names) { wake.withLock { $0 }?() }
        let database = options.sinks.first { $0.kind.traits.contains(.database) }?.path
        let site = WebSite(
            board, database: database, zone: options.zone, generator: watch.generator, names: watch.names, facts)
        self.board = board
        let file = WebToken.standardPath
        let access = WebAccess(file: file, isLocal: address.isLocal)
        let server = add("page", address, path: "/", options.explain) { () throws(IngestError) in
            // An address that others reach is served with a token only.
            if !address.isLocal, let file, try WebToken.stored(at: file) == nil { try WebToken.renewed(at: file) }
            return .init(answer: { site.answer($0) }, access: access, news: { site.news() })
        }
        wake.withLock { $0 = { [weak server] in server?.newsArrived() } }
    }

    @discardableResult
    private func add(
        _ what: String, _ address: WebAddress, path: String, _ explain: @escaping @Sendable (IngestError) -> String,
        _ site: @escaping @Sendable () throws(IngestError) -> WebServer.Site
    ) -> RetriedServer {
        let notify = notify
        let server = RetriedServer(address, site) { served in
            let link = address.isLocal ? "" : "; `cuff web link` prints the link for other devices"
            notify(.watcher("\(what) at http://\(served)\(path)\(link)"))
        } failed: {
            notify(RetriedStart.notice("cannot serve the \(what)", explain($0)))
        }
        servers.append(server)
        server.start()
        return server
    }

    func stop() { for server in servers { server.stop() } }
}

/// A server whose port is retried until it can be opened.
final class RetriedServer: Sendable {
    private let server = Locked<LoopBound<WebServer>?>(nil)
    private let retry: RetriedStart

    /// `failed` is called if the reason is new.
    init(
        _ address: WebAddress, _ site: @escaping @Sendable () throws(IngestError) -> WebServer.Site,
        served: @escaping @Sendable (String) -> Void, failed: @escaping @Sendable (IngestError) -> Void
    ) {
        let start: @Sendable () throws(IngestError) -> Void = { [server] () throws(IngestError) in
            let opened = try WebServer(host: address.host, port: address.port, try site())
            try opened.start()
            let bound = LoopBound(opened)
            server.withLock { $0 = bound }
            served(opened.address)
        }
        retry = RetriedStart(start, failed: failed)
    }

    /// Returns after the first attempt.
    func start() { retry.begin() }

    /// There is news for viewers. From any thread.
    func newsArrived() {
        guard let server = server.withLock({ $0 }) else { return }
        EventLoop.shared.async { server.value.newsArrived() }
    }

    /// Must not be called on the loop.
    func stop() {
        retry.finish()
        server.withLock({ $0 })?.value.stop()
    }
}

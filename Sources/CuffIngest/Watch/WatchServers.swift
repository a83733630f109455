import CuffCore
import Dispatch

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
        let board = WebBoard { wake.withLock { $0 }?() }
        let database = options.sinks.first { $0.kind.traits.contains(.database) }?.path
        let site = WebSite(board, database: database, zone: options.zone, generator: watch.generator, facts)
        self.board = board
        let file = WebToken.standardPath
        let access = WebAccess(file: file, isLocal: address.isLocal)
        let server = add("page", address, path: "/", options.explain) { () throws(IngestError) in
            // An address that others reach is served with a token only.
            if !address.isLocal, let file, try WebToken.stored(at: file) == nil { try WebToken.renewed(at: file) }
            return .init(answer: { site.answer($0) }, access: access, news: { board.news() })
        }
        wake.withLock { $0 = { server.newsArrived() } }
    }

    @discardableResult
    private func add(
        _ what: String, _ address: WebAddress, path: String, _ explain: @escaping @Sendable (IngestError) -> String,
        _ site: @escaping @Sendable () throws(IngestError) -> WebServer.Site
    ) -> RetriedServer {
        let notify = notify
        let server = RetriedServer(address, site) { change in
            switch change {
            case .served(let served):
                let link = address.isLocal ? "" : "; `cuff web link` prints the link for other devices"
                notify(.watcher("\(what) at http://\(served)\(path)\(link)"))
            case .failed(let error):
                let why = explain(error).split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "; ")
                notify(.watcher("cannot serve the \(what): \(why); trying again, with growing pauses"))
            }
        }
        servers.append(server)
        server.start()
        return server
    }

    func stop() { for server in servers { server.stop() } }
}

/// A server whose port is retried until it can be opened.
final class RetriedServer: Sendable {
    enum Change {
        case served(String)
        /// Reported if the reason is new.
        case failed(IngestError)
    }

    private struct State {
        var server: LoopBound<WebServer>?
        var pause = RetriedServer.firstPause
        var told: IngestError?
        var isStopped = false
    }

    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "cuff.server")
    private let address: WebAddress
    private let site: @Sendable () throws(IngestError) -> WebServer.Site
    private let notify: @Sendable (Change) -> Void

    init(
        _ address: WebAddress, _ site: @escaping @Sendable () throws(IngestError) -> WebServer.Site,
        notify: @escaping @Sendable (Change) -> Void
    ) {
        self.address = address
        self.site = site
        self.notify = notify
    }

    /// Returns after the first attempt.
    func start() { queue.sync { attempt() } }

    /// There is news for viewers. From any thread.
    func newsArrived() {
        guard let server = state.withLock({ $0.server }) else { return }
        EventLoop.shared.async { server.value.newsArrived() }
    }

    /// Must not be called on the loop.
    func stop() {
        let server = queue.sync {
            state.withLock { state in
                state.isStopped = true
                return state.server
            }
        }
        server?.value.stop()
    }

    private func attempt() {
        guard !state.withLock({ $0.isStopped }) else { return }
        do throws(IngestError) {
            let server = try WebServer(host: address.host, port: address.port, try site())
            try server.start()
            let bound = LoopBound(server)
            state.withLock { $0.server = bound }
            notify(.served(server.address))
        } catch {
            let (isNew, pause) = state.withLock { state in
                defer {
                    state.told = error
                    state.pause = min(state.pause * 2, Self.longestPause)
                }
                return (state.told != error, state.pause)
            }
            if isNew { notify(.failed(error)) }
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause.nanoseconds))) { @Sendable [weak self] in self?.attempt() }
        }
    }
}

import CuffCore

/// The HTTP servers of a watch, as far as they are asked for: the live page, and the counters on a port of their own.
final class WatchServers {
    /// What the live page knows of the present; a sink of the run. `nil` without a page.
    private(set) var board: WebBoard?
    /// Where each server answers, for a person.
    private(set) var addresses: [String] = []
    private var servers: [WebServer] = []

    /// Binds the ports and begins to answer. `counters` gives `nil` until the run has begun.
    init(
        _ watch: WatchOptions, _ options: IngestOptions, alerts: @escaping WebSite.Alerts, counters: @escaping WebSite.Counters
    ) throws(IngestError) {
        do throws(IngestError) {
            if let port = watch.metricsPort {
                let site = WebSite(nil, database: nil, zone: nil, generator: watch.generator, counters: counters)
                let server = try WebServer(host: "", port: port, .init { site.answer($0) })
                try add(server, "metrics at http://\(server.address)/metrics")
            }
            if let address = watch.web { try serve(address, watch, options, alerts, counters) }
        } catch {
            stop()
            throw error
        }
    }

    private func serve(
        _ address: WebAddress, _ watch: WatchOptions, _ options: IngestOptions, _ alerts: @escaping WebSite.Alerts,
        _ counters: @escaping WebSite.Counters
    ) throws(IngestError) {
        let wake = Locked<(@Sendable () -> Void)?>(nil)
        let board = WebBoard { wake.withLock { $0 }?() }
        let database = options.sinks.first { $0.kind.traits.contains(.database) }?.path
        let site = WebSite(
            board, database: database, zone: options.zone, generator: watch.generator, alerts: alerts, counters: counters)
        let server = try WebServer(host: address.host, port: address.port, .init(answer: { site.answer($0) }, news: { board.news() }))
        let bound = LoopBound(server)
        wake.withLock { $0 = { EventLoop.shared.async { bound.value.newsArrived() } } }
        self.board = board
        try add(server, "page at http://\(server.address)/")
    }

    private func add(_ server: WebServer, _ sentence: String) throws(IngestError) {
        servers.append(server)
        try server.start()
        addresses.append(sentence)
    }

    /// Closes every port and connection.
    func stop() { for server in servers { server.stop() } }
}

import CuffClinical
import CuffCore

/// The pages of a watch, all read-only: the live page with style and script, the report and readings as files, readings and state as JSON,
/// counters as OpenMetrics, and events.
final class WebSite: Sendable {
    /// What the pages ask for while a run lasts.
    struct Facts: Sendable {
        /// The counters of the run; `nil` before it began.
        var counters: @Sendable () -> RunStatistics?
        var alerts: @Sendable () -> [StandingAlert] = { [] }
        var settings: @Sendable () -> PageSettings = { PageSettings() }
    }

    private let board: WebBoard?
    private let facts: Facts
    private let contents: PageContents
    private let zone: ZoneTable?
    private let generator: String

    static let mostReadings = 1000

    /// Without a board only `/metrics` is answered. `database`: the source of readings; `nil`: those of this run. `zone` of the
    /// cuffs' clocks; `nil`: the host's. `names` are the user's names for cuffs.
    init(
        _ board: WebBoard?, database: String?, zone: ZoneTable?, generator: String, names: Set<String> = [], _ facts: Facts
    ) {
        self.board = board
        self.facts = facts
        contents = PageContents(board, database: database, names: names)
        self.zone = zone
        self.generator = generator
    }

    func answer(_ request: HTTPRequest) -> WebServer.Site.Answer {
        switch (request.path, board) {
        case ("/metrics", _), ("/", nil):
            let text = facts.counters()?.openMetrics ?? "# EOF\n"
            return .response(
                HTTPResponse(Array(text.utf8), type: "application/openmetrics-text; version=1.0.0; charset=utf-8"))
        case ("/", let board?): return .response(page(request, board))
        case ("/style.css", .some): return .response(HTTPResponse(LivePage.style, type: "text/css; charset=utf-8"))
        case ("/live.js", .some): return .response(HTTPResponse(LivePage.script, type: "text/javascript; charset=utf-8"))
        case ("/report", .some): return .response(report(request))
        case ("/readings.csv", .some): return .response(table(request))
        case ("/api/readings", .some): return .response(readings(request))
        case ("/api/state", let board?): return .response(state(board))
        case ("/events", .some): return .viewer
        default: return .response(.notFound)
        }
    }

    /// Changes since the last call, as server-sent events.
    func news() -> [UInt8] {
        if contents.hasChanged() { board?.readingsChanged() }
        return board?.news() ?? []
    }

    /// What an address asks for: a person, a range, a language.
    private func view(_ request: HTTPRequest) -> PageContents.View {
        var settings = facts.settings()
        let language = request.query["lang"].flatMap(Language.named) ?? settings.report.language ?? .accepted(request.languages)
        settings.report.language = language
        let days = request.query["days"].flatMap(Int.init).flatMap { LivePage.ranges.contains($0) ? $0 : nil }
        return PageContents.View(
            person: request.query["person"], days: days ?? 30, request: settings.report.request(language, generator: generator),
            zone: zone ?? HostZone.local(), settings: settings, now: HostClock.now())
    }

    private func page(_ request: HTTPRequest, _ board: WebBoard) -> HTTPResponse {
        let view = view(request)
        var page = LivePage(zone: view.zone, language: view.request.language, generator: generator)
        let statistics = facts.counters()
        page.cuffs = (statistics?.links ?? []).map {
            LivePage.Cuff(name: $0.name, driver: $0.driver, place: $0.place, readings: $0.counters.readings)
        }
        page.deliveries = deliveries(statistics)
        page.skipped = view.settings.skipped
        page.live = board.live
        page.alerts = facts.alerts()
        page.days = view.days
        do throws(IngestError) { page.persons = try contents.persons(view) } catch { return Self.unavailable(error) }
        page.shown = page.persons.contains { $0.key == view.person } ? view.person : nil
        var text = TextBuffer(capacity: 1 << 15)
        page.append(generated: view.now, to: &text)
        return HTTPResponse(text.array, type: "text/html; charset=utf-8")
    }

    private func report(_ request: HTTPRequest) -> HTTPResponse {
        var text = TextBuffer(capacity: 1 << 16)
        do throws(IngestError) {
            guard try contents.appendReport(view(request), to: &text) else { return Self.notFound }
        } catch { return Self.unavailable(error) }
        var response = HTTPResponse(text.array, type: "text/html; charset=utf-8")
        response.hasOwnStyle = true
        return response
    }

    private func table(_ request: HTTPRequest) -> HTTPResponse {
        var text = TextBuffer(capacity: 1 << 16)
        do {
            guard try contents.appendTable(view(request), to: &text) else { return Self.notFound }
        } catch { return Self.unavailable(error) }
        return HTTPResponse(text.array, type: "text/csv; charset=utf-8")
    }

    private static func unavailable(_ error: any Error) -> HTTPResponse { HTTPResponse(status: "503 Service Unavailable", "\(error)") }
    private static let notFound = HTTPResponse(
        status: "404 Not Found", "this watch has no database, nothing is stored in it yet, or the address has an unknown person")

    private func readings(_ request: HTTPRequest) -> HTTPResponse {
        let wanted = request.query["limit"] ?? "100"
        guard let limit = Int(wanted), (1...Self.mostReadings).contains(limit) else {
            return HTTPResponse(status: "400 Bad Request", "limit is a number from 1 to \(Self.mostReadings)")
        }
        var text = TextBuffer(capacity: 1 << 15)
        text.append("{\"readings\":[")
        do throws(IngestError) {
            for (index, one) in try contents.latest(limit, zone ?? HostZone.local(), facts.settings().household).enumerated() {
                if index > 0 { text.append(0x2C) }
                ReadingLine().append(one.reading, device: one.provenance.device, to: &text)
                // An array element has no line feed.
                text.truncate(to: text.count - 1)
            }
        } catch { return Self.unavailable(error) }
        text.append("]}\n")
        return HTTPResponse(text.array, type: "application/json")
    }

    private func state(_ board: WebBoard) -> HTTPResponse {
        let statistics = facts.counters()
        let live = board.live
        let zone = zone ?? HostZone.local()
        let cuffs = (statistics?.links ?? []).map { link -> JSONOutput in
            [
                "device": .text(link.place), "name": link.name.isEmpty ? nil : .text(link.name), "driver": .text(link.driver.description),
                "readings": .number(link.counters.readings), "skipped_bytes": .number(link.counters.skippedBytes),
            ]
        }
        let standing = facts.alerts().map { alert -> JSONOutput in
            [
                "rule": .text(alert.rule), "condition": .text(alert.condition), "since": .text(alert.since.text(in: zone)),
                "device": alert.device.map { .text($0) }, "person": alert.person.map { .text($0) },
            ]
        }
        let sinks = deliveries(statistics).map { sink -> JSONOutput in
            [
                "sink": .text(sink.name), "required": .bool(sink.isRequired), "stored": .number(sink.stored),
                "waiting": .number(sink.waiting), "failing": .bool(sink.hasFailed),
            ]
        }
        let state: JSONOutput = [
            "cuffs": .list(cuffs), "live": WebBoard.json(live.filter { $0.loss == nil }),
            "lost": WebBoard.json(live.filter { $0.loss != nil }), "alerts": .list(standing), "sinks": .list(sinks),
        ]
        return HTTPResponse(Array((state.string + "\n").utf8), type: "application/json")
    }

    private func deliveries(_ statistics: RunStatistics?) -> [LivePage.Delivery] {
        (statistics?.sinks ?? []).filter { !$0.isInternal }.map { sink in
            let parts = sink.label.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let file = parts.count == 2 ? parts[1].split(separator: "/").last.map { ":\($0)" } ?? "" : ""
            let isFile = parts.count == 2 && !parts[1].hasPrefix("//")
            return LivePage.Delivery(
                name: "\(parts[0])\(isFile ? file : "")", isRequired: sink.isRequired, stored: sink.stored,
                waiting: sink.waiting + (sink.backlog?.waiting ?? 0), hasFailed: sink.fault != nil || sink.backlog?.fault != nil)
        }
    }
}

import CuffClinical
import CuffCore

/// The pages of a watch, all read-only: the live page with style and script, readings and state as JSON, counters as OpenMetrics,
/// and events.
final class WebSite: Sendable {
    /// What the pages ask for while a run lasts.
    struct Facts: Sendable {
        /// The counters of the run; `nil` before it began.
        var counters: @Sendable () -> RunStatistics?
        /// The raised alerts.
        var alerts: @Sendable () -> [StandingAlert] = { [] }
        /// Who is who.
        var household: @Sendable () -> Household = { Household() }
    }

    private let board: WebBoard?
    private let facts: Facts
    private let database: String?
    private let zone: ZoneTable?
    private let generator: String

    static let mostReadings = 1000
    /// The number of readings on the page.
    private static let readingsOfPage = 400

    /// Without a board only `/metrics` is answered. `database`: the source of readings; `nil`: those of this run. `zone` of the
    /// cuffs' clocks; `nil`: the host's.
    init(
        _ board: WebBoard?, database: String?, zone: ZoneTable?, generator: String, _ facts: Facts
    ) {
        self.board = board
        self.facts = facts
        self.database = database
        self.zone = zone
        self.generator = generator
    }

    func answer(_ request: HTTPRequest) -> WebServer.Site.Answer {
        switch (request.path, board) {
        case ("/metrics", _), ("/", nil):
            let text = facts.counters()?.openMetrics ?? "# EOF\n"
            return .response(
                HTTPResponse(Array(text.utf8), type: "application/openmetrics-text; version=1.0.0; charset=utf-8"))
        case ("/", let board?): return .response(page(board))
        case ("/style.css", .some): return .response(HTTPResponse(LivePage.style, type: "text/css; charset=utf-8"))
        case ("/live.js", .some): return .response(HTTPResponse(LivePage.script, type: "text/javascript; charset=utf-8"))
        case ("/api/readings", let board?): return .response(readings(request, board))
        case ("/api/state", let board?): return .response(state(board))
        case ("/events", .some): return .viewer
        default: return .response(.notFound)
        }
    }

    private func page(_ board: WebBoard) -> HTTPResponse {
        let zone = zone ?? HostZone.local()
        var page = LivePage(zone: zone, generator: generator)
        let statistics = facts.counters()
        page.cuffs = statistics?.links.map { LivePage.Cuff(driver: $0.driver, place: $0.place, readings: $0.counters.readings) } ?? []
        page.deliveries = deliveries(statistics)
        page.live = board.live
        page.alerts = facts.alerts()
        do throws(IngestError) {
            let household = facts.household()
            var each = ByPerson<[Reading]>()
            for (reading, device) in try latest(Self.readingsOfPage, board, zone, household) {
                switch reading.content {
                case .bloodPressure, .failure: each[household.person(of: reading, device: device), default: []].append(reading)
                case .pulseRate, .quantity: break
                }
            }
            let persons = each.persons
            page.persons = each.sorted.map { person, readings in
                let isAlone = persons.isOne && person.name == nil && person.slot == nil
                return LivePage.Person(name: isAlone ? "Readings" : persons.heading(person), readings: readings)
            }
        } catch { return HTTPResponse(status: "503 Service Unavailable", error.description) }
        var text = TextBuffer(capacity: 1 << 15)
        page.append(generated: HostClock.now(), to: &text)
        return HTTPResponse(text.array, type: "text/html; charset=utf-8")
    }

    private func readings(_ request: HTTPRequest, _ board: WebBoard) -> HTTPResponse {
        let wanted = request.query["limit"] ?? "100"
        guard let limit = Int(wanted), (1...Self.mostReadings).contains(limit) else {
            return HTTPResponse(status: "400 Bad Request", "limit is a number from 1 to \(Self.mostReadings)")
        }
        var text = TextBuffer(capacity: 1 << 15)
        text.append("{\"readings\":[")
        do throws(IngestError) {
            for (index, one) in try latest(limit, board, zone ?? HostZone.local(), facts.household()).enumerated() {
                if index > 0 { text.append(0x2C) }
                ReadingLine().append(one.reading, device: one.device, to: &text)
                // An array element has no line feed.
                text.truncate(to: text.count - 1)
            }
        } catch { return HTTPResponse(status: "503 Service Unavailable", error.description) }
        text.append("]}\n")
        return HTTPResponse(text.array, type: "application/json")
    }

    private func state(_ board: WebBoard) -> HTTPResponse {
        let statistics = facts.counters()
        let live = board.live
        let zone = zone ?? HostZone.local()
        let cuffs = (statistics?.links ?? []).map { link -> JSONOutput in
            [
                "device": .text(link.place), "driver": .text(link.driver.description), "readings": .number(link.counters.readings),
                "skipped_bytes": .number(link.counters.skippedBytes),
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

    /// Oldest first; from the database if there is one, which omits deleted readings.
    private func latest(
        _ count: Int, _ board: WebBoard, _ zone: ZoneTable, _ household: Household
    ) throws(IngestError) -> [(reading: Reading, device: String)] {
        guard let database else { return board.latest(count) }
        let store = try Store(database, access: .read)
        var selection = ReadingSelection(zone: zone)
        (selection.last, selection.household) = (count, household)
        var found: [(reading: Reading, device: String)] = []
        try store.forEach(selection) { reading, provenance in
            found.append((reading, provenance.device))
            return true
        }
        return found
    }
}

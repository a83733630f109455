import Foundation
import PostgresStore
import RemoteSink
import TestServers
import Testing

/// `Remote/Grafana/postgresql.json`: each entry of its variable is one user of one cuff of one machine.
@Suite(.serialized) struct DashboardTests {
    private static let identity = #"concat_ws(' ', gateway, driver, nullif(device, ''), 'user ' || "user", 'person ' || person)"#

    /// The query of the variable, and those of the panels.
    private func queries() throws -> (variable: String, panels: [String]) {
        let remote = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let dashboard = try #require(JSONValue(parsing: Array(Data(contentsOf: remote.appending(path: "Grafana/postgresql.json")))))
        let variables = dashboard["templating"]?["list"]?.array ?? []
        let panels = (dashboard["panels"]?.array ?? []).flatMap { $0["targets"]?.array ?? [] }.compactMap { $0["rawSql"]?.string }
        return (try #require(variables.first { $0["name"]?.string == "person" }?["query"]?.string), panels)
    }

    @Test func allQueries_TellMachinesAndPersonsApart() throws {
        let (variable, panels) = try queries()
        #expect(variable == "SELECT DISTINCT \(Self.identity) FROM cuff.blood_pressure ORDER BY 1")
        #expect(panels.count == 3)
        for panel in panels { #expect(panel.contains(" AND \(Self.identity) = ${person:sqlstring} ORDER BY "), "\(panel)") }
    }

    @Test(.enabled(if: TestPostgres.isInstalled)) func entries_ShowTheReadingsOfOneMachineAndPerson() throws {
        let server = try TestPostgres()
        try server.sql(Schema.script())
        let items = [
            ("ward-3", reading("a", more: #","user":1"#)), ("ward-7", reading("b", more: #","user":1"#)),
            ("ward-7", reading("c", more: #","user":1,"person":"s-ben""#)), ("ward-7", reading("d", more: #","user":2,"person":"s-ben""#)),
            ("ward-7", reading("e")),
        ].map { ReadingStatement.Item($0.1, machine: $0.0) }
        let parameter = "'\(ReadingStatement.parameter(items).replacing("'", with: "''"))'"
        try server.sql(ReadingStatement.insert.replacing("$1", with: parameter), as: "cuff")
        let (variable, panels) = try queries()
        let entries = try server.sql(variable).split(separator: "\n").map(String.init)
        #expect(
            Set(entries) == [
                "ward-3 phd 00091ffffe000101 user 1", "ward-7 phd 00091ffffe000101 user 1",
                "ward-7 phd 00091ffffe000101 user 1 person s-ben", "ward-7 phd 00091ffffe000101 user 2 person s-ben",
                "ward-7 phd 00091ffffe000101",
            ])
        #expect(entries.count == 5)
        for panel in panels {
            let query = panel.replacing("$__timeFilter(measured)", with: "true")
            for entry in entries {
                let rows = try server.sql(query.replacing("${person:sqlstring}", with: "'\(entry)'"))
                #expect(rows.split(separator: "\n").count == 1, "\(entry): \(rows)")
            }
        }
    }
}

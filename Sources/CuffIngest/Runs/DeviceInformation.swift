import CuffCore

/// What a cuff reported about itself, and the capabilities of its family.
package struct DeviceInformation: Sendable {
    package var driver: CuffDriver
    /// `nil` if the cuff was not asked or did not answer.
    package var identity: DeviceIdentity?
    /// `nil` if the clock was not read.
    package var clock: DeviceClockReport?

    package init(driver: CuffDriver, identity: DeviceIdentity?, clock: DeviceClockReport?) {
        self.driver = driver
        self.identity = identity
        self.clock = clock
    }

    private var rows: [(key: String, value: String)] {
        [
            ("driver", driver.id.description), ("id", identity?.id ?? ""), ("manufacturer", identity?.manufacturer ?? ""),
            ("model", identity?.model ?? ""), ("serial", identity?.serial ?? ""), ("firmware", identity?.firmware ?? ""),
            ("battery_percent", identity?.battery.map(String.init) ?? ""), ("clock", clock?.text ?? ""),
            ("clock_wanted", identity?.wantsClock == true ? "yes: it asks for its clock to be set" : ""),
        ].filter { !$0.value.isEmpty }
    }

    package var text: String {
        let own = identity?.details.map { (key: $0.name, value: $0.value) } ?? []
        return (rows + own + [("can", driver.capabilities.words.joined(separator: ", "))]).map { row in
            row.key + String(repeating: " ", count: max(1, 16 - row.key.count)) + row.value + "\n"
        }.joined()
    }

    package var json: String {
        var members: [(String, JSONOutput?)] = rows.filter { !["battery_percent", "clock", "clock_wanted"].contains($0.key) }
            .map { ($0.key, .text($0.value)) }
        members += [
            ("battery_percent", identity?.battery.map { .number(Int($0)) }), ("device_clock", clock.map { .text($0.timeText) }),
            ("behind_s", clock.map { .number(Int($0.behind)) }),
            ("host_clock", clock?.isHostUnsynchronised == true ? "unsynchronised" : nil),
            ("clock_wanted", identity?.wantsClock == true ? .bool(true) : nil),
        ]
        // A list, because names may be repeated.
        let details = (identity?.details ?? []).map { detail -> JSONOutput in
            .object([("name", .text(detail.name)), ("value", .text(detail.value))])
        }
        members += [
            ("details", details.isEmpty ? nil : .list(details)),
            ("capabilities", .list(driver.capabilities.words.map { .text($0) })),
            ("cycles_min", driver.cycles.isEmpty ? nil : .list(driver.cycles.map { .number(Int($0)) })),
        ]
        return JSONOutput.line("device", members)
    }
}

/// The state of the fleet for Prometheus (OpenMetrics 1.0) and for people (HTML).
struct FleetText {
    let facts: FleetFacts
    var rules = FleetRules()
    var stored = 0
    var setAside = 0

    // MARK: OpenMetrics

    var metrics: String {
        var text = ""
        func family(_ name: String, _ kind: String, _ help: String, _ samples: [(labels: String, value: String)]) {
            text += "# TYPE \(name) \(kind)\n# HELP \(name) \(help)\n"
            let sampleName = name + (kind == "counter" ? "_total" : kind == "info" ? "_info" : "")
            for sample in samples { text += "\(sampleName)\(sample.labels) \(sample.value)\n" }
        }
        let present = facts.machines.filter { !$0.isRevoked }
        func each(_ value: (MachineFacts) -> Int?) -> [(labels: String, value: String)] {
            present.compactMap { machine in value(machine).map { ("{machine=\"\(Self.label(machine.name))\"}", "\($0)") } }
        }
        family("cuff_gateway_stored_readings", "counter", "Readings stored since this gateway started.", [("", "\(stored)")])
        family("cuff_gateway_refused_messages", "counter", "Messages set aside since this gateway started.", [("", "\(setAside)")])
        family("cuff_refused_messages", "gauge", "Messages in cuff.refused.", [("", "\(facts.refused)")])
        let troubles = facts.troubles(rules)
        family(
            "cuff_machines", "gauge", "Machines by what is wrong with them; all: every machine that is not revoked.",
            [("{state=\"all\"}", "\(present.count)")]
                + Trouble.allCases.map { trouble in
                    ("{state=\"\(trouble.rawValue)\"}", "\(troubles.count { $0.troubles.contains(trouble) })")
                })
        family("cuff_machine_contact_age_seconds", "gauge", "Since the last message of the machine.", each(\.seen))
        family("cuff_machine_heartbeat_interval_seconds", "gauge", "How often it sends a heartbeat.", each(\.interval))
        family(
            "cuff_machine_unsent_readings", "gauge", "Readings that wait on the machine.", each { $0.interval == nil ? nil : $0.waiting })
        family(
            "cuff_machine_oldest_unsent_seconds", "gauge", "Age of the oldest reading that waits on the machine.",
            each { $0.interval == nil ? nil : $0.oldest ?? 0 })
        family("cuff_machine_refused_readings", "gauge", "Refused readings on the machine.", each { $0.interval == nil ? nil : $0.refused })
        family(
            "cuff_machine_clock_synchronised", "gauge", "1 if its clock is.", each { $0.interval == nil ? nil : $0.isClockWrong ? 0 : 1 })
        family("cuff_machine_disk_free_bytes", "gauge", "On the disk of its readings.", each(\.diskFree))
        family("cuff_machine_disk_bytes", "gauge", "The size of that disk.", each(\.diskSize))
        family(
            "cuff_machine", "info", "The version of the machine's program.",
            present.compactMap { machine in
                machine.version.map { ("{machine=\"\(Self.label(machine.name))\",version=\"\(Self.label($0))\"}", "1") }
            })
        return text + "# EOF\n"
    }

    private static func label(_ text: String) -> String { replaced(text, ["\\": #"\\"#, "\"": #"\""#, "\n": #"\n"#]) }

    /// By scalars: a combining mark makes one Character of itself and the sign before it, and a CR one of itself and the LF after it.
    private static func replaced(_ text: String, _ replacements: [Unicode.Scalar: String]) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let other = replacements[scalar] { result.append(contentsOf: other.unicodeScalars) } else { result.append(scalar) }
        }
        return String(result)
    }

    // MARK: HTML

    /// The longest table that a person reads.
    private static let mostRows = 1000

    var page: String {
        let troubles = facts.troubles(rules)
        let present = facts.machines.count { !$0.isRevoked }
        var text = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="60"><title>Machines</title>
            <style>body{font-family:sans-serif;margin:2em;color:#222;background:#fff}table{border-collapse:collapse;margin:1em 0}
            th,td{text-align:left;padding:.3em 1em;border-bottom:1px solid #ccc}td.n{text-align:right}</style></head><body>
            <h1>\(FleetRules.count(present, "machine")), \(troubles.count) with a problem</h1>
            <table><tr><th>Problem<th>Machines</tr>

            """
        for trouble in Trouble.allCases {
            text += "<tr><td>\(trouble.rawValue)<td class=n>\(troubles.count { $0.troubles.contains(trouble) })</tr>\n"
        }
        text += "</table>\n"
        if !troubles.isEmpty {
            text += "<table><tr><th>Machine<th>What is wrong<th>Last message<th>Version</tr>\n"
            for (machine, found) in troubles.prefix(Self.mostRows) {
                let sentences = found.map { Self.escaped(rules.sentence($0, machine)) }.joined(separator: "<br>")
                let age = machine.seen.map { FleetRules.age($0) + " ago" } ?? "never"
                text += "<tr><td>\(Self.escaped(machine.name))<td>\(sentences)<td>\(age)<td>\(Self.escaped(machine.version ?? ""))</tr>\n"
            }
            text += "</table>\n"
            if troubles.count > Self.mostRows { text += "<p>and \(troubles.count - Self.mostRows) more</p>\n" }
        }
        text += "<p>\(FleetRules.count(facts.refused, "message")) in cuff.refused.</p>\n"
        if !facts.refusedToday.isEmpty {
            text += "<table><tr><th>Machine<th>Refused in 24 hours<th>Newest reason</tr>\n"
            for entry in facts.refusedToday.prefix(Self.mostRows) {
                text += "<tr><td>\(Self.escaped(entry.machine))<td class=n>\(entry.count)<td>\(Self.escaped(entry.reason))</tr>\n"
            }
            text += "</table>\n"
        }
        return text + "</body></html>\n"
    }

    private static func escaped(_ text: String) -> String {
        replaced(text, ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
    }
}

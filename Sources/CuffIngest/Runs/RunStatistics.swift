import CuffCore
import Glibc

/// The counters of a run at one moment: per link, per driver and per sink.
package struct RunStatistics: Sendable {
    package struct Link: Sendable {
        /// The path or address.
        package var place: String
        /// The user's name for the cuff; empty for none.
        package var name = ""
        package var driver: DriverID
        package var counters: LinkCounters
    }

    package var elapsed: Duration
    package var links: [Link]
    /// By driver, the sums of all links, including closed ones, in order of id.
    package var drivers: [(driver: DriverID, counters: LinkCounters)]
    package var sinks: [SinkReport]
    /// From a batch's arrival to its being on disk in every required sink.
    package var commits: LatencyHistogram

    // MARK: For a person

    package var text: String {
        var lines = ["after \(Plural.span(elapsed.components.seconds)): \(commits.sentence("commit"))"]
        for link in links { lines.append("link \(link.place) (\(link.driver)): \(Self.sentence(link.counters))") }
        for (driver, counters) in drivers { lines.append("driver \(driver): \(Self.sentence(counters))") }
        // The program's own sinks are shown only with a fault.
        for sink in sinks where !sink.isInternal || sink.fault != nil {
            var parts = ["\(sink.stored) stored", "\(sink.known) of them known"]
            if sink.waiting > 0 { parts.append("\(sink.waiting) waiting") }
            if sink.missed > 0 { parts.append("\(sink.missed) missed") }
            if let backlog = sink.backlog {
                parts.append("\(backlog.waiting) in the outbox")
                if backlog.refused > 0 { parts.append("\(backlog.refused) refused") }
                if backlog.lost > 0 { parts.append("\(backlog.lost) delivered without confirmation") }
            }
            if !sink.isDurable { parts.append("passed through, not kept") }
            parts.append(sink.writes.sentence("write"))
            if let fault = sink.fault ?? sink.backlog?.fault { parts.append(fault.description) }
            if let next = sink.nextTry ?? sink.backlog?.nextTry {
                parts.append("next try \(next.utcText)")
            }
            lines.append("sink \(sink.label)\(sink.isRequired ? "" : "?"): \(parts.joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }

    private static func sentence(_ counters: LinkCounters) -> String {
        [
            Plural.text(counters.frames, "frame"), Plural.text(counters.bytes, "byte"), "\(counters.skippedBytes) skipped",
            Plural.text(counters.badChecks, "bad check"),
            Plural.text(counters.readings, "reading"), Plural.text(counters.duplicates, "duplicate"),
            "\(Plural.text(counters.thinned, "live sample")) left out",
            "\(Plural.text(counters.pauses, "pause")) (\(LatencyHistogram.text(counters.paused)))",
        ].joined(separator: ", ")
    }

    // MARK: For a collector

    /// OpenMetrics text. Every user of the machine may read a loopback port, so it contains only counts; sinks are named by kind
    /// and index, not by path.
    package var openMetrics: String {
        var text = ""
        func family(_ name: String, _ type: String, _ help: String, _ samples: [(labels: String, value: String)], suffix: String = "") {
            guard !samples.isEmpty else { return }
            text += "# TYPE cuff_\(name) \(type)\n# HELP cuff_\(name) \(help)\n"
            for sample in samples { text += "cuff_\(name)\(suffix)\(sample.labels) \(sample.value)\n" }
        }
        let counted = links.enumerated().map { index, link in
            ("{driver=\"\(link.driver)\",link=\"\(Self.label(Self.node(link.place) ?? "\(index)"))\"}", link.counters)
        }
        func counter(_ name: String, _ help: String, _ value: (LinkCounters) -> String) {
            family("link_\(name)", "counter", "\(help), of an open link", counted.map { ($0.0, value($0.1)) }, suffix: "_total")
            family(
                "driver_\(name)", "counter", "\(help), of all links of a driver",
                drivers.map { ("{driver=\"\($0.driver)\"}", value($0.counters)) }, suffix: "_total")
        }
        counter("frames", "Whole frames") { "\($0.frames)" }
        counter("received_bytes", "Bytes from the cuff") { "\($0.bytes)" }
        counter("skipped_bytes", "Bytes that belong to no frame") { "\($0.skippedBytes)" }
        counter("bad_checks", "Gaps that began with a frame whose check did not hold") { "\($0.badChecks)" }
        counter("readings", "Readings") { "\($0.readings)" }
        counter("failures", "Measurements that failed") { "\($0.failures)" }
        counter("duplicates", "Readings that came before") { "\($0.duplicates)" }
        counter("thinned", "Live samples left out") { "\($0.thinned)" }
        counter("pauses", "Times the cuff had to wait for a sink") { "\($0.pauses)" }
        counter("paused_seconds", "How long the cuff had to wait for sinks") { Self.seconds($0.paused) }
        let named = sinks.enumerated().map { index, sink in
            ("{sink=\"\(index):\(Self.kind(sink.label))\",required=\"\(sink.isRequired && sink.isDurable)\"}", sink)
        }
        family("sink_stored_readings", "counter", "Readings stored", named.map { ($0.0, "\($0.1.stored)") }, suffix: "_total")
        family("sink_known_readings", "counter", "Readings it already had", named.map { ($0.0, "\($0.1.known)") }, suffix: "_total")
        family(
            "sink_missed_readings", "counter", "Readings an optional sink missed", named.map { ($0.0, "\($0.1.missed)") }, suffix: "_total")
        family(
            "sink_refused_readings", "counter", "Readings that the other side will never take",
            named.filter { $0.1.backlog != nil }.map { ($0.0, "\($0.1.backlog?.refused ?? 0)") }, suffix: "_total")
        family(
            "sink_lost_readings", "counter", "Readings handed over, of which it is not known whether they arrived",
            named.filter { $0.1.backlog != nil }.map { ($0.0, "\($0.1.backlog?.lost ?? 0)") }, suffix: "_total")
        family(
            "sink_pending_readings", "gauge", "Readings that wait for it",
            named.map { ($0.0, "\($0.1.waiting + ($0.1.backlog?.waiting ?? 0))") })
        family(
            "sink_up", "gauge", "1 when its last write succeeded",
            named.map { ($0.0, $0.1.fault ?? $0.1.backlog?.fault == nil ? "1" : "0") })
        text += Self.histogram("commit_seconds", "From arrival to being on disk in every required sink", [("", commits)])
        text += Self.histogram(
            "sink_write_seconds", "How long a write took, durable as it is",
            named.map { (String($0.0.dropFirst().dropLast()), $0.1.writes) })
        return text + "# EOF\n"
    }

    private static func histogram(_ name: String, _ help: String, _ all: [(labels: String, histogram: LatencyHistogram)]) -> String {
        var text = "# TYPE cuff_\(name) histogram\n# HELP cuff_\(name) \(help)\n"
        for (labels, histogram) in all {
            var total = 0
            for (index, count) in histogram.counts.enumerated() {
                total += count
                let bound = index < LatencyHistogram.bounds.count ? seconds(.microseconds(LatencyHistogram.bounds[index])) : "+Inf"
                text += "cuff_\(name)_bucket{\(labels.isEmpty ? "" : labels + ",")le=\"\(bound)\"} \(total)\n"
            }
            let own = labels.isEmpty ? "" : "{\(labels)}"
            text += "cuff_\(name)_count\(own) \(histogram.count)\ncuff_\(name)_sum\(own) \(seconds(histogram.sum))\n"
        }
        return text
    }

    private static func kind(_ label: String) -> Substring { label.prefix { $0 != ":" } }

    /// The kernel's name of a node, such as `ttyUSB0`: that of a link may contain a serial number or a person. `nil` if the
    /// node is gone. An address unchanged.
    private static func node(_ place: String) -> String? {
        guard place.hasPrefix("/") else { return place }
        let path = StateFile.resolved(place)
        return path.hasPrefix("/dev/") && access(path, F_OK) == 0 ? String(path.dropFirst(5)) : nil
    }

    private static func label(_ text: String) -> String {
        text.reduce(into: "") { $0 += $1 == "\\" || $1 == "\"" ? "\\\($1)" : $1 == "\n" ? "\\n" : String($1) }
    }

    private static func seconds(_ duration: Duration) -> String {
        let microseconds = duration.nanoseconds / 1000
        let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        return "\(microseconds / 1_000_000).\(fraction)"
    }
}

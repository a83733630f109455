import CuffIngest

/// The part of `cuff config check` on the page and the service's permissions.
enum PageReport {
    /// Prints lines for page and network, faults on standard error; returns the status.
    static func print(_ configuration: CuffConfiguration) -> RunStatus {
        if let warning = cutOff(configuration) { Terminal.say("cuff: \(warning.text)\n  fix: \(warning.hint)") }
        guard let web = configuration.web else { return .done }
        let finding = Doctor.page(web)
        switch finding.state {
        case .ok: Terminal.put("web \(web): ok: \(finding.text)\n")
        default: Terminal.say("cuff: web \(web): \(finding.text)" + (finding.hint.map { "\n  fix: \($0)" } ?? ""))
        }
        return finding.status
    }

    /// A message if the machine's configuration needs a network that the service may not use.
    static func cutOff(_ configuration: CuffConfiguration) -> (text: String, hint: String)? {
        guard configuration.files.contains(where: { $0.hasPrefix("/etc/cuff/") }), ServiceNetwork(configuration).need > .none,
            ServiceNetwork.isServiceCutOff
        else { return nil }
        return ("the configuration needs the network, and cuff.service may not use it", "sudo cuff setup --system")
    }
}

/// The part of `cuff config check --connect` on sinks on servers.
enum ConnectionReport {
    /// Prints one line per sink, faults on standard error; returns the overall status.
    static func print(_ sinks: [CuffConfiguration.NamedSink]) -> RunStatus {
        let remote = sinks.filter { $0.spec.kind.traits.contains(.remote) }
        if remote.isEmpty { Terminal.put("no sink on a server\n") }
        var statuses: Set<RunStatus> = []
        for sink in remote {
            do throws(IngestError) {
                switch try SinkCheck.run(sink.spec) {
                case .ready(let text): Terminal.show("sink \(sink.name): ok: \(StandardErrorLog.harmless(text))\n")
                case .unknown:
                    Terminal.show("sink \(sink.name): not checked: its helper program does not support --check, or did not answer\n")
                case .away(let text):
                    Terminal.say("cuff: sink \(sink.name): not now: \(text)")
                    statuses.insert(.unavailable)
                case .wrong(let text):
                    Terminal.say("cuff: sink \(sink.name): \(text)")
                    statuses.insert(.badConfiguration)
                }
            } catch {
                Terminal.say("cuff: sink \(sink.name): \(error.text)")
                statuses.insert(error.status)
            }
        }
        return statuses.contains(.badConfiguration) ? .badConfiguration : statuses.first ?? .done
    }
}

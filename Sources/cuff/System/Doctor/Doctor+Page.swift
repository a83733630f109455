import CuffIngest

extension Doctor {
    /// Whether the live page can be or is served. Never affects reading cuffs.
    static func page(_ address: WebAddress) -> Finding {
        switch PageProbe.look(at: address) {
        case .free: Finding(.page, .ok, "http://\(address)/ can be served; no watch serves it now")
        case .served: Finding(.page, .ok, "http://\(address)/ is served")
        case .taken:
            Finding(
                .page, .failed, "another program listens on \(address)", hint: "choose another port: `web =` in the configuration",
                status: .unavailable)
        case .failed(let error):
            Finding(.page, .failed, error.description, hint: (error.fault as? any Hinted)?.hint, status: .badConfiguration)
        }
    }

    /// Checks of the configuration besides cuffs.
    static func findings(_ configuration: CuffConfiguration) -> [Finding] {
        var findings = configuration.skipped.map { section in
            Finding(.settings, .failed, section.fault.description, hint: section.fault.hint, status: .badConfiguration)
        }
        if let web = configuration.web { findings.append(page(web)) }
        if let warning = PageReport.cutOff(configuration) {
            findings.append(Finding(.service, .failed, warning.text, hint: warning.hint, status: .badConfiguration))
        }
        return findings
    }
}

import CuffCore

/// What a running watch reads again.
package struct WatchReload: Sendable {
    package var assignments: [Assignment]
    package var alerts = AlertSettings()
    package var report = ReportSettings()
    /// What sinks may have, by their names.
    package var consents: [String: SinkConsent] = [:]

    package init(assignments: [Assignment]) { self.assignments = assignments }

    init(_ configuration: CuffConfiguration, and own: [Assignment]) {
        assignments = configuration.assignments + own
        (alerts, report, consents) = (AlertSettings(configuration), configuration.report, configuration.redelivery.consents)
    }
}

/// The options of a watch, from the configuration and the command line, which overrides it.
package struct WatchSetup: Sendable {
    package enum Configuration: Sendable {
        case none
        /// The named file, else the standard ones.
        case files(String?)
    }

    package var options: WatchOptions
    /// The configuration's sinks, used if the command line names none.
    package var sinks: [SinkSpec]
    /// The sections of the configuration that were left out because they are wrong.
    package var skipped: [CuffConfiguration.SkippedSection]
    /// For the limits of sinks on the command line.
    package var configuration: CuffConfiguration

    /// Reads the configuration and adds the command line; `drivers` are the available ones. Throws if the command line or a file
    /// as a whole is invalid; a section that is wrong is left out.
    package static func options(
        config: Configuration, assign: [String], once: Bool, again: Duration?, listen: [String] = [], source: [String] = [],
        drivers: [CuffDriver] = CuffFamilies.all
    ) throws(IngestError) -> WatchSetup {
        let configuration = try load(config, drivers, skipping: .sections)
        let own = try parsed(assign, drivers)
        var watch = WatchOptions()
        let first = WatchReload(configuration, and: own)
        (watch.assignments, watch.alerts, watch.report) = (first.assignments, first.alerts, first.report)
        watch.skipped = configuration.skipped.map(\.fault)
        watch.settings = WatchState.Settings(isOnce: once)
        watch.settings.again = again ?? configuration.again
        watch.listens =
            try listen.isEmpty ? configuration.listens : listen.map { (text) throws(IngestError) in try ListenPlan(text, drivers: drivers) }
        watch.listensAreConfigured = listen.isEmpty
        guard !once || listen.isEmpty else {
            throw IngestError(ConfigurationFault.listensOnce)
        }
        watch.sources =
            try source.isEmpty ? configuration.sources.map(\.plan) : source.map { (text) throws(IngestError) in try SourcePlan(text) }
        // A page would disappear at once, and a running watch may use the port.
        watch.web = once ? nil : configuration.web
        watch.sourcesAreConfigured = source.isEmpty
        if once {
            watch.listens = []
            if source.isEmpty { watch.sources = [] }
        }
        watch.reload = { () throws(IngestError) in WatchReload(try load(config, drivers), and: own) }
        return WatchSetup(
            options: watch, sinks: configuration.sinks.map(\.spec), skipped: configuration.skipped, configuration: configuration)
    }

    /// Only the assignments.
    package static func assignments(
        config: Configuration, assign: [String], drivers: [CuffDriver] = CuffFamilies.all
    ) throws(IngestError) -> [Assignment] {
        try load(config, drivers).assignments + parsed(assign, drivers)
    }

    private static func load(
        _ configuration: Configuration, _ drivers: [CuffDriver], skipping: CuffConfiguration.Skipping = .none
    ) throws(IngestError) -> CuffConfiguration {
        switch configuration {
        case .none: CuffConfiguration()
        case .files(let file): try CuffConfiguration.load(file, drivers: drivers, skipping: skipping)
        }
    }

    private static func parsed(_ texts: [String], _ drivers: [CuffDriver]) throws(IngestError) -> [Assignment] {
        try texts.map { (text) throws(IngestError) in
            do throws(AddressFault) { return try Assignment(text, drivers: drivers) } catch {
                throw IngestError(ConfigurationFault.assignment(error))
            }
        }
    }
}

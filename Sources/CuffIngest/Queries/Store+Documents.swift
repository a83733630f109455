import CuffClinical
import CuffCore

extension Store {
    /// Writes the selected readings, and their series, in one format. The file is complete or does not exist. With `selection.newFor`
    /// only what this export has not delivered yet.
    /// - Throws: An `IngestError` of reading, as ``Store`` says; as ``OutputFile`` for the file; of status `usage` if the format cannot
    ///   tell several persons apart and the selection has them. An `ExportFault` for what the format cannot do.
    @discardableResult
    public func export(
        _ selection: ReadingSelection, as exporter: Exporter, choices: ExportChoices = ExportChoices(), version: String = "",
        to path: String, replaces: Bool = false
    ) async throws -> HealthRuns.ExportReport {
        let result = try await DetachedThread.run { [self] () throws(IngestError) in
            Result {
                try HealthRuns.export(
                    self, .everything, selection, as: exporter, choices: choices,
                    context: HealthRuns.exportContext(selection.zone, version: version),
                    to: try OutputFile(path, replaces: replaces))
            }
        }
        return try result.get()
    }

    /// Writes the selected blood pressures as one HTML page for a clinic, on A4; the file is complete or does not exist. Each person
    /// has a section; with `person`, a name on the page, they must be one person's. Returns the numbers of included and excluded
    /// readings.
    /// - Throws: An `IngestError` of reading, as ``Store`` says; as ``OutputFile`` for the file; of status `usage` if `person` is given
    ///   and the selection is of several.
    @discardableResult
    public func report(
        _ selection: ReadingSelection, person: String = "", generator: String = "cuff", to path: String, replaces: Bool = false
    ) async throws(IngestError) -> (counted: Int, leftOut: Int) {
        try await DetachedThread.run { [self] () throws(IngestError) in
            var request = ReportSettings().request(.english, generator: generator)
            request.person = person
            return try HealthRuns.report(self, selection, request, to: try OutputFile(path, replaces: replaces))
        }
    }
}

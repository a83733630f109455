extension Store {
    /// Removes every reading that an import added; returns their number. Throws if there is no such import, or if it was undone.
    package func undoImport(_ name: String) throws(IngestError) -> Int {
        let known = try imports()
        guard let record = known.first(where: { $0.name == name }) else {
            throw IngestError(ImportRunFault.unknownImport(name, known: known.filter { $0.undone == nil }.map(\.name)))
        }
        guard record.undone == nil else { throw IngestError(ImportRunFault.alreadyUndone(name)) }
        return try removeImport(name)
    }
}

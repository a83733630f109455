import CuffCore

extension Importer {
    /// An importer of a table.
    init(_ driver: DriverID, program: String, help: String, sign: String, table layout: TableLayout) {
        self.init(
            driver: driver, program: program, help: help, sign: sign,
            form: .bytes { TableImport(layout, $0, head: $1) }, recognise: { layout.recognises($0) })
    }
}

extension TableLayout.FlagColumn {
    /// A column of 0 and 1.
    static func bit(_ title: String, _ flag: MeasurementFlags) -> Self { Self(title: title, flag: flag, raised: ["1"], lowered: ["0"]) }
    /// A column with `Detected` in any case; its other values are not documented.
    static func detected(_ title: String, _ flag: MeasurementFlags) -> Self { Self(title: title, flag: flag, raised: ["detected"]) }
    /// A column of `True` and `False`.
    static func truth(_ title: String, _ flag: MeasurementFlags) -> Self {
        Self(title: title, flag: flag, raised: ["true"], lowered: ["false"])
    }
}

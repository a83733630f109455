import ArgumentParser

/// `300ms`, `15s`, `10m`, `2h`, or seconds without a unit.
struct Span: ExpressibleByArgument {
    let duration: Duration
    private let text: String

    /// For help texts.
    var defaultValueDescription: String { text }

    static func seconds(_ count: Int64) -> Span { Span(duration: .seconds(count), text: "\(count)s") }

    private init(duration: Duration, text: String) {
        self.duration = duration
        self.text = text
    }

    init?(argument: String) {
        let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1)]
        for unit in units where argument.hasSuffix(unit.suffix) {
            guard let value = Double(argument.dropLast(unit.suffix.count)), value > 0, value.isFinite, value * unit.seconds < 1e9 else {
                continue
            }
            duration = .milliseconds(Int64((value * unit.seconds * 1000).rounded()))
            text = argument
            return
        }
        return nil
    }
}

import CuffCore

/// The latest blood pressures of one person as a small picture: a bar from diastolic to systolic for each, oldest on the left.
struct LiveTrend {
    private let pressures: [BloodPressure]
    private static let width = 600.0
    private static let height = 120.0

    init(_ pressures: [BloodPressure]) { self.pressures = pressures }

    /// Appends nothing for fewer than two: one bar shows no trend.
    func append(to text: inout TextBuffer) {
        guard pressures.count > 1 else { return }
        let values = pressures.flatMap { [$0.systolic.inMmHg, $0.diastolic.inMmHg] }
        // Whole tens around the values, so that the scale does not change with each reading.
        let low = ((values.min() ?? 0) / 10).rounded(.down) * 10
        let high = max(low + 10, ((values.max() ?? 0) / 10).rounded(.up) * 10)
        func place(_ value: Double) -> Int64 { Int64(((high - value) / (high - low) * (Self.height - 12) + 6).rounded()) }
        let step = Self.width / Double(LivePage.trend)
        let left = Self.width - step * Double(pressures.count)
        text.append("<figure><svg viewBox=\"0 0 640 120\" role=\"img\" aria-label=\"")
        text.append(
            html: "The last \(pressures.count) readings, from \(Int(low)) to \(Int(high)) mmHg, oldest on the left\">\n")
        for value in [high, low] {
            let y = place(value)
            text.append(html: "<line class=\"grid\" x1=\"0\" x2=\"\(Int(Self.width))\" y1=\"\(y)\" y2=\"\(y)\"/>")
            text.append(html: "<text x=\"\(Int(Self.width) + 6)\" y=\"\(y + 4)\">\(Int(value))</text>\n")
        }
        for (index, pressure) in pressures.enumerated() {
            let x = Int64((left + step * (Double(index) + 0.5)).rounded())
            let (top, bottom) = (place(pressure.systolic.inMmHg), place(pressure.diastolic.inMmHg))
            text.append(html: "<line class=\"bar\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(top)\" y2=\"\(bottom)\"/>")
            text.append(
                html:
                    "<circle class=\"sys\" cx=\"\(x)\" cy=\"\(top)\" r=\"3\"/><circle class=\"dia\" cx=\"\(x)\" cy=\"\(bottom)\" r=\"3\"/>\n"
            )
        }
        text.append("</svg><figcaption>Each bar is a reading, from diastolic (open) to systolic (filled).</figcaption></figure>\n")
    }
}

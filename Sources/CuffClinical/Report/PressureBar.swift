import CuffCore

/// The pressure in a cuff as one line of a terminal, redrawn with every sample: the pressure, a bar, the seconds.
package struct PressureBar: Sendable, Hashable {
    package var width: Int
    /// Whether the bar has eighths of a block; otherwise `#`.
    package var isUnicode: Bool
    private var highest = 0.0
    /// The latest beat of a cuff that reports each beat.
    private var beat = ""

    /// Most measurements stay below it; a higher one stretches the bar. In mmHg.
    static let usualScale = 200.0

    package init(width: Int, isUnicode: Bool) {
        self.width = width
        self.isUnicode = isUnicode
    }

    /// The line without a line end, at most `width` wide.
    package mutating func line(_ pressure: Pressure, elapsed: Duration?) -> String {
        let value = max(0, pressure.inMmHg)
        highest = max(highest, value)
        let head = "cuff \(right(Int(value.rounded()), 3)) mmHg \(beat)"
        let tail = elapsed.map { " \(right(Int($0.components.seconds), 3)) s" } ?? ""
        let room = width - head.count - tail.count - 2
        guard room >= 8 else { return String((head + tail).prefix(max(0, width))) }
        return head + "[" + bar(value / max(Self.usualScale, highest), room) + "]" + tail
    }

    /// The same for a cuff that sends systolic and diastolic pressure with every beat. Both stay in the following lines, with a word if
    /// beats before them were lost.
    package mutating func line(_ beat: BloodPressure, isAfterGap: Bool, elapsed: Duration?) -> String {
        func whole(_ pressure: Pressure) -> Int { Int(max(0, pressure.inMmHg).rounded()) }
        self.beat = "\(isAfterGap ? " gap" : "beat") \(right(whole(beat.systolic), 3))/\(right(whole(beat.diastolic), 3)) "
        return line(beat.systolic, elapsed: elapsed)
    }

    private func bar(_ share: Double, _ room: Int) -> String {
        let eighths = Int((min(1, share) * Double(room * 8)).rounded())
        let whole = isUnicode ? eighths / 8 : (eighths + 4) / 8
        var text = String(repeating: isUnicode ? "█" : "#", count: whole)
        if isUnicode, eighths % 8 > 0 { text.append(["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]) }
        return text + String(repeating: " ", count: room - text.count)
    }

    private func right(_ number: Int, _ width: Int) -> String {
        "\(number)".indented(to: width)
    }
}

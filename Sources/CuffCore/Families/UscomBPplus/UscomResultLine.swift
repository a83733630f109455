/// `S id snr systolic mean diastolic pulse …`, the result at detail 0. It has no check.
enum UscomResultLine {
    /// Behind the `S`.                                                                                     documented [2]
    private static let fields = 17

    /// With a blank lost, central pressures would be taken for those of the arm: all fields are needed. The values have three digits
    /// each, and the mean is between the others.
    static func pressure(_ parts: [Substring]) -> BloodPressure? {
        guard parts.lastIndex(where: { !$0.isEmpty }) == fields else { return nil }
        let values = parts[3...6].filter { $0.utf8.count == 3 && $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }.compactMap { Int($0) }
        guard values.count == 4, values[2] > 0, values[2] < values[0], values[1] == 0 || values[2]...values[0] ~= values[1] else {
            return nil
        }
        return .mmHg(values[0], values[2], meanOrZero: values[1], pulseOrZero: values[3])
    }
}

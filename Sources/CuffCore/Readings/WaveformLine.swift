extension ByteWriter {
    /// Appends the keys of a waveform, each with a preceding comma: at most 64 samples of 12 bytes and four texts, half of a line's limit.
    mutating func put(_ waveform: Waveform) {
        if let name = Nomenclature.name(partition: waveform.partition, term: waveform.term) { put(",\"code\":\"", word: name) }
        put(",\"mdc\":", decimal: Int64(waveform.mdc))
        if let unit = Nomenclature.unit(waveform.unit) {
            put(",\"unit\":\"", word: unit)
        } else if waveform.unit != 0 {
            put(",\"unit_mdc\":", decimal: Int64(Nomenclature.dimensions << 16 | UInt32(waveform.unit)))
        }
        if let time = waveform.clock.time {
            put(",\"device_time\":\"")
            put(time)
            put(0x22)
        }
        if waveform.period > .zero {
            let parts = waveform.period.components
            put(",\"period_us\":", decimal: parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000)
        }
        if let scale = waveform.scale {
            put(",\"sample_range\":[", decimal: Int64(scale.samples.lowerBound))
            put(",", decimal: Int64(scale.samples.upperBound))
            put("],\"value_range\":[")
            put(scale.lower)
            put(0x2C)
            put(scale.upper)
            put(0x5D)
        }
        if waveform.first > 0 { put(",\"first\":", decimal: Int64(waveform.first)) }
        put(",\"samples\":[")
        for (index, sample) in waveform.samples.prefix(Waveform.ceiling).enumerated() {
            if index > 0 { put(0x2C) }
            put(decimal: Int64(sample))
        }
        put(0x5D)
    }
}

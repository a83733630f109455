import CuffCore

/// Writes Apple Health's `export.xml`, reading by reading: an exchange format that many programs read. Apple's own Health
/// app does not import it.
///
/// Header, then any number of `append`, then footer. The writer keeps no state.
///
/// In Apple's files a record within a correlation is also at the top level. Some programs read correlations, some only top-level
/// records, and some every record at any depth, and so twice: hence the layouts.
struct AppleHealthExport: Sendable {
    enum Layout: String, Sendable, Hashable, CaseIterable {
        /// As Apple writes it: correlations, and their records at the top level as well.
        case both
        /// Correlations only; each value once.
        case correlation
        /// Top-level records only; each value once, paired by their sync identifiers.
        case records
    }

    /// Where the records of a blood pressure are written.
    let layout: Layout
    let source: HealthSource
    /// The zone of times, unless a reading has its own.
    let zone: ZoneTable
    var limits = HeartRateLimits.usual

    /// The part of Apple's document type that is used here.                          observed in files of version 13
    static let documentType: StaticString = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 13 -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Audiogram)*)>
        <!ATTLIST HealthData locale CDATA #REQUIRED>
        <!ELEMENT ExportDate EMPTY>
        <!ATTLIST ExportDate value CDATA #REQUIRED>
        <!ELEMENT Me EMPTY>
        <!ATTLIST Me
          HKCharacteristicTypeIdentifierDateOfBirth CDATA #REQUIRED
          HKCharacteristicTypeIdentifierBiologicalSex CDATA #REQUIRED
          HKCharacteristicTypeIdentifierBloodType CDATA #REQUIRED
          HKCharacteristicTypeIdentifierFitzpatrickSkinType CDATA #REQUIRED
          HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse CDATA #REQUIRED>
        <!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>
        <!ATTLIST Record
          type CDATA #REQUIRED unit CDATA #IMPLIED value CDATA #IMPLIED sourceName CDATA #REQUIRED
          sourceVersion CDATA #IMPLIED device CDATA #IMPLIED creationDate CDATA #IMPLIED
          startDate CDATA #REQUIRED endDate CDATA #REQUIRED>
        <!ELEMENT Correlation ((MetadataEntry|Record)*)>
        <!ATTLIST Correlation
          type CDATA #REQUIRED sourceName CDATA #REQUIRED sourceVersion CDATA #IMPLIED device CDATA #IMPLIED
          creationDate CDATA #IMPLIED startDate CDATA #REQUIRED endDate CDATA #REQUIRED>
        <!ELEMENT MetadataEntry EMPTY>
        <!ATTLIST MetadataEntry key CDATA #REQUIRED value CDATA #REQUIRED>
        <!ELEMENT Audiogram ((MetadataEntry|SensitivityPoint)*)>
        <!ATTLIST Audiogram
          type CDATA #REQUIRED sourceName CDATA #REQUIRED sourceVersion CDATA #IMPLIED device CDATA #IMPLIED
          creationDate CDATA #IMPLIED startDate CDATA #REQUIRED endDate CDATA #REQUIRED>
        <!ELEMENT SensitivityPoint EMPTY>
        <!ATTLIST SensitivityPoint
          frequencyValue CDATA #REQUIRED frequencyUnit CDATA #REQUIRED leftEarValue CDATA #IMPLIED leftEarUnit CDATA #IMPLIED
          rightEarValue CDATA #IMPLIED rightEarUnit CDATA #IMPLIED>
        <!ELEMENT HeartRateVariabilityMetadataList (InstantaneousBeatsPerMinute*)>
        <!ELEMENT InstantaneousBeatsPerMinute EMPTY>
        <!ATTLIST InstantaneousBeatsPerMinute bpm CDATA #REQUIRED time CDATA #REQUIRED>
        ]>

        """

    /// All characteristics of the person are "not set".
    func appendHeader(exported: Timestamp, to text: inout TextBuffer) {
        text.append(Self.documentType)
        text.append("<HealthData locale=\"en_US\">\n <ExportDate value=\"")
        text.append(appleDate: exported, zone: zone)
        text.append("\"/>\n <Me HKCharacteristicTypeIdentifierDateOfBirth=\"\"")
        text.append(" HKCharacteristicTypeIdentifierBiologicalSex=\"HKBiologicalSexNotSet\"")
        text.append(" HKCharacteristicTypeIdentifierBloodType=\"HKBloodTypeNotSet\"")
        text.append(" HKCharacteristicTypeIdentifierFitzpatrickSkinType=\"HKFitzpatrickSkinTypeNotSet\"")
        text.append(" HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse=\"None\"/>\n")
    }

    func appendFooter(to text: inout TextBuffer) { text.append("</HealthData>\n") }

    /// Writes one reading, or throws why it is left out and writes nothing.
    func append(
        _ reading: Reading, from provenance: Provenance, parts: ExportParts = [.values, .events], to text: inout TextBuffer
    ) throws(HealthError) {
        let samples = try ReadingSamples(
            reading, source: source, device: provenance.identity, zone: zone, limits: limits)
        let created = reading.received
        if parts.contains(.values) { append(samples, created: created, to: &text) }
        guard parts.contains(.events) else { return }
        for event in samples.events {
            var metadata = HealthMetadata(timeZone: zone.name)
            if let limit = event.limit { metadata.other["HKHeartRateEventThreshold"] = TextBuffer.rounded(limit) + " count/min" }
            let sample = try CategorySample(
                event.kind.type, start: event.time, end: event.time, source: source, device: provenance.identity, metadata: metadata)
            append(sample, created: created, to: &text)
        }
    }

    private func append(_ samples: ReadingSamples, created: Timestamp?, to text: inout TextBuffer) {
        if let audiogram = samples.audiogram { append(audiogram, samples, created: created, to: &text) }
        if let pressure = samples.bloodPressure {
            if layout != .correlation {
                for object in pressure.objects {
                    // Without a correlation, each record needs its own identifier.
                    let metadata = layout == .records ? own(pressure.metadata, object.type) : HealthMetadata()
                    append(object, metadata, created: created, indent: " ", to: &text)
                }
            }
            if layout != .records { append(pressure, created: created, to: &text) }
        }
        if let category = samples.category { append(category, created: created, to: &text) }
        if let quantity = samples.quantity { append(quantity, quantity.metadata, created: created, indent: " ", to: &text) }
        if let heartRate = samples.heartRate {
            append(heartRate, heartRate.metadata, created: created, indent: " ", to: &text)
        }
    }

    /// Beat-to-beat data as in Apple's files: a variability record with the list of its beats.
    func append(_ series: HeartbeatSeries, from provenance: Provenance, to text: inout TextBuffer) {
        guard let sdnn = series.sdnn else { return }
        open("Record", .heartRateVariability, of: provenance.identity, to: &text)
        text.append(" unit=\"ms\"")
        appendDates(created: nil, series.start, series.end, to: &text)
        text.append(" value=\"")
        text.append(rounded: sdnn * 1000)
        text.append("\">\n  <HeartRateVariabilityMetadataList>\n")
        for (before, beat) in zip(series.beats, series.beats.dropFirst()) where !beat.precededByGap {
            text.append("   <InstantaneousBeatsPerMinute bpm=\"")
            text.append(decimal: Int64((60_000_000 / Double(beat.time - before.time)).rounded()))
            text.append("\" time=\"")
            text.append(clockOf: series.start, plus: beat.time, zone: zone)
            text.append("\"/>\n")
        }
        text.append("  </HeartRateVariabilityMetadataList>\n </Record>\n")
    }

    private func own(_ metadata: HealthMetadata, _ type: SampleType) -> HealthMetadata {
        var own = metadata
        if let sync = metadata.sync { own.sync = (sync.identifier + (type == .systolic ? ":sys" : ":dia"), sync.version) }
        return own
    }

    private func append(_ pressure: Correlation, created: Timestamp?, to text: inout TextBuffer) {
        open("Correlation", pressure.type, of: pressure.device, to: &text)
        appendDates(created: created, pressure.start, pressure.end, to: &text)
        text.append(">\n")
        append(pressure.metadata, indent: "  ", to: &text)
        for object in pressure.objects { append(object, HealthMetadata(), created: created, indent: "  ", to: &text) }
        text.append(" </Correlation>\n")
    }

    private func append(
        _ sample: QuantitySample, _ metadata: HealthMetadata, created: Timestamp?, indent: StaticString,
        to text: inout TextBuffer
    ) {
        open("Record", sample.type, of: sample.device, indent: indent, to: &text)
        if let unit = sample.type.unit {
            text.append(attribute: "unit", unit.description)
            appendDates(created: created, sample.start, sample.end, to: &text)
            text.append(" value=\"")
            if sample.quantity.unit == unit {
                text.append(sample.quantity.digits)
            } else if let value = sample.quantity.value(in: unit) {
                text.append(rounded: value)
            }
            text.append(0x22)
        }
        close(metadata, indent: indent, to: &text)
    }

    private func append(_ sample: CategorySample, created: Timestamp?, to text: inout TextBuffer) {
        open("Record", sample.type, of: sample.device, to: &text)
        appendDates(created: created, sample.start, sample.end, to: &text)
        text.append(attribute: "value", sample.value?.name.description ?? "HKCategoryValueNotApplicable")
        close(sample.metadata, indent: " ", to: &text)
    }

    /// Ends a Record, which has metadata or no contents.
    private func close(_ metadata: HealthMetadata, indent: StaticString, to text: inout TextBuffer) {
        guard !metadata.entries.isEmpty else { return text.append("/>\n") }
        text.append(">\n")
        append(metadata, indent: "  ", to: &text)
        text.append(indent)
        text.append("</Record>\n")
    }

    /// The tag of an element with its type and its origin, still open.
    func open(
        _ element: StaticString, _ type: SampleType, of device: DeviceIdentity?, indent: StaticString = " ", to text: inout TextBuffer
    ) {
        text.append(indent)
        text.append(0x3C)
        text.append(element)
        text.append(attribute: "type", type.identifier.description)
        appendOrigin(device, to: &text)
    }

    func append(_ metadata: HealthMetadata, indent: StaticString, to text: inout TextBuffer) {
        for entry in metadata.entries {
            text.append(indent)
            text.append("<MetadataEntry")
            text.append(attribute: "key", entry.key)
            text.append(attribute: "value", entry.value)
            text.append("/>\n")
        }
    }

    private func appendOrigin(_ device: DeviceIdentity?, to text: inout TextBuffer) {
        text.append(attribute: "sourceName", source.name)
        if let version = source.version { text.append(attribute: "sourceVersion", version) }
        guard let device else { return }
        let parts = [
            ("name", device.model), ("manufacturer", device.manufacturer), ("model", device.model),
            ("firmware", device.firmware),
        ].compactMap { key, value in value.flatMap { $0.isEmpty ? nil : "\(key):\($0)" } }
        guard !parts.isEmpty else { return }
        text.append(attribute: "device", "<<HKDevice: 0x0>, \(parts.joined(separator: ", "))>")
    }

    func appendDates(created: Timestamp?, _ start: Timestamp, _ end: Timestamp, to text: inout TextBuffer) {
        func append(_ name: StaticString, _ time: Timestamp) {
            text.append(name)
            text.append(appleDate: time, zone: zone)
            text.append(0x22)
        }
        if let created { append(" creationDate=\"", created) }
        append(" startDate=\"", start)
        append(" endDate=\"", end)
    }
}

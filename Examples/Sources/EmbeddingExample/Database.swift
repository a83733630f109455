import CuffClinical
import CuffCore
import CuffIngest

// What a program does with a database of readings. Every call suspends its task, and blocks no thread.

/// Keeps what a person or the program itself measured: all of it, or none.
func keep(in path: String) async throws {
    let store = try await Store.open(path)
    let source = HealthSource(name: "EmbeddingExample")
    let time = Timestamp(seconds: 1_777_959_180)
    let pressure = try Correlation(
        .bloodPressure,
        [
            QuantitySample(.systolic, HealthQuantity(128.5, .mmHg), start: time, end: time, source: source),
            QuantitySample(.diastolic, HealthQuantity(82, .mmHg), start: time, end: time, source: source),
        ], start: time, end: time, source: source)
    let pulse = try QuantitySample(.heartRate, HealthQuantity(71, .count / .minute), start: time, end: time, source: source)
    for reading in try await store.save(pressure, pulse) { print("saved \(reading.id)") }
}

/// What was added, revised or deleted since the last run, by whatever program. The database remembers the anchor.
func changes(in path: String) async throws {
    let store = try await Store.open(path)
    for try await change in store.changes(since: ChangeAnchor("example"), follow: false) {
        switch change {
        case .added(let reading, let cuff): print("added \(reading.id) by \(cuff.name)")
        case .revised(let reading, _): print("revised \(reading.id)")
        case .deleted(let id): print("deleted \(id)")
        }
    }
}

/// The days' high pressures.
func statistics(in path: String) async throws {
    let store = try await Store.open(path, access: .read)
    for day in try await store.statistics(.systolic, by: .day, where: .systolic >= 120 && !.flag(.irregularPulse)) {
        print("\(day.label): \(day.statistics.count) readings, \(day.result ?? 0) mmHg on average")
        if let highest = day.statistics.maximum, let reading = try await store.reading(highest.reading) {
            print("  the highest is \(highest.value), reading \(reading.id)")
        }
    }
}

/// A series is built value by value, and kept as one row.
func series(in path: String) async throws {
    let store = try await Store.open(path)
    let start = Timestamp(seconds: 1_777_959_180)
    var builder = try QuantitySeriesBuilder(.heartRate, start: start, source: HealthSource(name: "EmbeddingExample"))
    for (second, rate) in [64, 66, 67, 65, 63].enumerated() {
        try builder.insert(HealthQuantity(rate, .countPerMinute), at: .seconds(2 * second))
    }
    builder.metadata["Posture"] = "sitting"
    let series = try await builder.finish(in: store)
    print("\(series.count) values, \(series.minimum?.value.value ?? 0) to \(series.maximum?.value.value ?? 0)")
}

/// Writes the latest reading of any cuff into a file, which is always whole, and keeps all of them in a database.
func latest(in path: String, to file: String, of devices: [String]) async throws {
    let options = IngestOptions.remembering
    options.endOnSignals()
    let store = try await Store.open(path)
    for try await received in Cuffs.readings(watching: try WatchOptions(assign: devices), options: options) {
        // Only a reading that is on disk is acknowledged to the cuff.
        try await store.save(received)
        guard !received.reading.isPending else { continue }
        var text = TextBuffer(capacity: 512)
        ReadingLine().append(received.reading, device: received.device, to: &text)
        let output = try OutputFile(file, replaces: true)
        try output.append(&text)
        try output.finish()
    }
}

import CuffCore
import CuffIngest

// Four things that a program does with cuffs:
//
//   EmbeddingExample read DEVICE DRIVER          takes what one cuff has stored
//   EmbeddingExample store DEVICE DRIVER FOLDER   stores what one cuff has, a file for each reading
//   EmbeddingExample watch [DEVICE=DRIVER …]     takes what every cuff sends, now and when one is plugged in
//   EmbeddingExample measure DEVICE DRIVER       lets one cuff measure

func show(_ reading: Reading, _ driver: DriverID) {
    switch reading.content {
    case .bloodPressure(let pressure):
        let pulse = pressure.pulse.map { ", pulse \($0.digits.value)" } ?? ""
        let flags = reading.flags.text(separator: " ")
        print("\(driver): \(pressure.systolic.inMmHg)/\(pressure.diastolic.inMmHg) mmHg\(pulse) \(flags)")
    case .failure(let failure): print("\(driver): failed, \(failure.reason.word)")
    case .pulseRate, .quantity: break
    }
}

/// A loop over readings holds the cuff back while its body runs, and closes the cuff when it is left. One whose body keeps them
/// says `isKeeping: true`: only then may a cuff forget a reading, when the loop asks for the next. Without, cuffs that forget are
/// left alone.
func read(_ device: String, _ driver: String) async throws(IngestError) {
    let place = try DevicePlace(device, driver: driver)
    var options = IngestOptions()
    options.device = place.device
    options.memory = .standard
    options.stop.watch()
    for try await received in Ingest.readings(from: place.address, driver: place.driver, options: options) {
        if !received.reading.isPending { show(received.reading, received.driver) }
    }
}

func watch(_ devices: [String]) async throws(IngestError) {
    var options = IngestOptions()
    options.memory = .standard
    options.stop.watch()
    // A generic bridge chip is opened only when it is assigned: DEVICE=DRIVER.
    var setup = try WatchSetup.options(config: .none, assign: devices, once: false, again: nil)
    setup.options.notices = { print($0.description) }
    for try await received in Ingest.readings(watching: setup.options, options: options) {
        if !received.reading.isPending { show(received.reading, received.driver) }
    }
}

/// The same as a sink, where readings pass through. One that keeps them says `let isDurable = true`, and returns when they are on
/// disk.
final class Diary: Sink {
    let label = "diary"

    func write(_ batch: Batch) throws(IngestError) -> Int {
        for reading in batch.entries.readings where !reading.isPending { show(reading, batch.driver) }
        return 0
    }
}

/// With a durable sink (FolderSink.swift), cuffs that delete acknowledged readings can be read, too.
func store(_ device: String, _ driver: String, in folder: String) throws(IngestError) {
    let place = try DevicePlace(device, driver: driver)
    var options = IngestOptions()
    options.device = place.device
    options.memory = .standard
    options.moreSinks = [FolderSink(path: folder)]
    options.stop.watch()
    _ = try Ingest.read(place.address, driver: place.driver, options: options)
}

func measure(_ device: String, _ driver: String) throws(IngestError) {
    let place = try DevicePlace(device, driver: driver)
    var options = IngestOptions()
    options.moreSinks = [Diary()]
    options.device = place.device
    // Where this process dies while the cuff inflates, the next one that opens it lets the air out.
    options.memory = .standard
    options.stop.watch()
    let handlers = MeasureHandlers(
        started: { print($0.map { "not started: \($0.sentence)" } ?? "started") },
        live: { event, elapsed in
            if case .cuffPressure(let pressure) = event { print("\(elapsed.components.seconds) s: \(pressure.inMmHg) mmHg in the cuff") }
        },
        ended: { end in
            switch end {
            case .result: print("ended with a result")
            case .aborted: print("stopped")
            case .failed(let fault): print("failed: \(fault.sentence)")
            }
        })
    _ = try Ingest.measure(
        place.address, driver: place.driver, MeasureOptions(duration: .seconds(120)), handlers: handlers, options: options)
}

do throws(IngestError) {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("read", 3): try await read(arguments[1], arguments[2])
    case ("store", 4): try store(arguments[1], arguments[2], in: arguments[3])
    case ("watch", _): try await watch(Array(arguments.dropFirst()))
    case ("measure", 3): try measure(arguments[1], arguments[2])
    default: print("EmbeddingExample read DEVICE DRIVER | store DEVICE DRIVER FOLDER | watch [DEVICE=DRIVER …] | measure DEVICE DRIVER")
    }
} catch {
    print(error.description)
}

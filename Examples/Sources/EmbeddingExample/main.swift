import CuffCore
import CuffIngest

// Two things that a program does with cuffs:
//
//   EmbeddingExample watch [DEVICE=DRIVER …]     takes what every cuff sends, now and when one is plugged in
//   EmbeddingExample measure DEVICE DRIVER       lets one cuff measure

/// Where readings pass through. One that keeps them says `let isDurable = true`, and returns when they are on disk: only then
/// may a cuff forget them. Without such a sink, cuffs that forget are left alone.
final class Diary: Sink {
    let label = "diary"

    func write(_ batch: Batch) throws(IngestError) -> Int {
        for reading in batch.entries.readings where !reading.isPending {
            switch reading.content {
            case .bloodPressure(let pressure):
                let pulse = pressure.pulse.map { ", pulse \($0.digits.value)" } ?? ""
                print(
                    "\(batch.driver): \(pressure.systolic.inMmHg)/\(pressure.diastolic.inMmHg) mmHg\(pulse) \(reading.flags.text(separator: " "))"
                )
            case .failure(let failure): print("\(batch.driver): failed, \(failure.reason.word)")
            case .pulseRate, .quantity: break
            }
        }
        return 0
    }
}

func watch(_ devices: [String]) throws(IngestError) {
    var options = IngestOptions()
    options.moreSinks = [Diary()]
    options.memory = .standard
    options.stop.watch()
    // A generic bridge chip is opened only when it is assigned: DEVICE=DRIVER.
    var setup = try WatchSetup.options(config: .none, assign: devices, once: false, again: nil)
    setup.options.notices = { print($0.sentence) }
    _ = try Ingest.watch(setup.options, options: options)
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
    case ("watch", _): try watch(Array(arguments.dropFirst()))
    case ("measure", 3): try measure(arguments[1], arguments[2])
    default: print("EmbeddingExample watch [DEVICE=DRIVER …] | measure DEVICE DRIVER")
    }
} catch {
    print(error.description)
}

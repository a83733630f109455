import CuffCore
import CuffIngest

// What a program does with cuffs, and with a database of readings (Database.swift):
//
//   EmbeddingExample read DEVICE DRIVER          takes what one cuff has stored
//   EmbeddingExample store DEVICE DRIVER FOLDER   stores what one cuff has, a file for each reading
//   EmbeddingExample watch [DEVICE=DRIVER …]     takes what every cuff sends, now and when one is plugged in
//   EmbeddingExample measure DEVICE DRIVER       lets one cuff measure
//   EmbeddingExample stack DEVICE DRIVER         takes what one cuff has stored, by bytes of the program's own (Stack.swift)
//   EmbeddingExample keep|changes|statistics|series DATABASE
//   EmbeddingExample latest DATABASE FILE [DEVICE=DRIVER …]   keeps the readings of every cuff, and the latest one in a file

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

/// The cuff at DEVICE; DRIVER is an id such as `par-nibp`. Its state folder is this user's: if this process dies while the cuff
/// inflates, the next one that opens the cuff stops it.
func cuff(_ device: String, _ driver: String) async throws -> Cuff {
    let address = try DeviceAddress(device)
    let cuff = try await Cuffs.first(address, driver: CuffFamilies.named(driver))
    cuff.options.endOnSignals()
    return cuff
}

/// A loop over readings holds the cuff back while its body runs, and closes the cuff when it is left. Asking for the next reading says
/// that the one before is stored; this body stores nothing, so cuffs that forget a reading are left alone.
func read(_ device: String, _ driver: String) async throws {
    for try await received in try await cuff(device, driver).readings(keeping: false) where !received.reading.isPending {
        show(received.reading, received.driver)
    }
}

func watch(_ devices: [String]) async throws {
    let options = IngestOptions.remembering
    options.endOnSignals()
    // A generic bridge chip is opened only when it is assigned: DEVICE=DRIVER.
    let watch = try WatchOptions(assign: devices)
    for try await received in Cuffs.readings(watching: watch, keeping: false, options: options)
    where !received.reading.isPending {
        show(received.reading, received.driver)
    }
}

/// With a durable sink (FolderSink.swift), cuffs that delete acknowledged readings can be read, too.
func store(_ device: String, _ driver: String, in folder: String) async throws {
    var cuff = try await cuff(device, driver)
    cuff.options.moreSinks = [FolderSink(path: folder)]
    _ = try await cuff.read()
}

func measure(_ device: String, _ driver: String) async throws {
    for try await event in try await cuff(device, driver).measure(limit: .seconds(120)) {
        switch event {
        case .started: print("started")
        case .pressure(let pressure, let elapsed): print("\(elapsed.components.seconds) s: \(pressure.inMmHg) mmHg in the cuff")
        case .beat: break
        case .result(let reading): show(reading, reading.driver)
        case .ended(.result): print("ended with a result")
        case .ended(.aborted): print("stopped")
        case .ended(.failed(let fault)): print("failed: \(fault.sentence)")
        }
    }
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("read", 3): try await read(arguments[1], arguments[2])
    case ("store", 4): try await store(arguments[1], arguments[2], in: arguments[3])
    case ("watch", _): try await watch(Array(arguments.dropFirst()))
    case ("stack", 3): if let driver = CuffFamilies.named(arguments[2]) { try await stack(arguments[1], driver) }
    case ("measure", 3): try await measure(arguments[1], arguments[2])
    case ("keep", 2): try await keep(in: arguments[1])
    case ("changes", 2): try await changes(in: arguments[1])
    case ("statistics", 2): try await statistics(in: arguments[1])
    case ("series", 2): try await series(in: arguments[1])
    case ("latest", 3...): try await latest(in: arguments[1], to: arguments[2], of: Array(arguments.dropFirst(3)))
    default: print("EmbeddingExample read DEVICE DRIVER | store DEVICE DRIVER FOLDER | watch [DEVICE=DRIVER …] | measure DEVICE DRIVER | …")
    }
} catch {
    print(error)
}

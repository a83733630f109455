import ArgumentParser
import CuffIngest

struct Schedule: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "schedule", "Shows, sets or ends automatic measurements.",
        """
        A cuff with automatic cycles is set to one of them where one fits. For any other cuff that can be started remotely, \
        `cuff watch` starts each measurement, also after a restart, and reports those that were missed. Nothing else \
        inflates a cuff unattended.

        A day and a night for `cuff ambulatory` have an interval each and an end. The first measurement of the day and of the night is \
        at its beginning, the others at equal steps after it; where the clock is put forward or back, that part is shorter or longer.
        """,
        examples: [
            "cuff schedule /dev/ttyUSB0 --driver par-nibp set --every 15m --from 08:00 --to 22:00": "Every fifteen minutes of the day.",
            "cuff schedule /dev/ttyUSB0 --driver par-nibp set --every 20m --night 22:00-07:00 --every-night 30m --for 24h":
                "A day and a night for `cuff ambulatory`.",
            "cuff schedule /dev/ttyUSB0 --driver par-nibp off": "Ends it.",
        ])

    @OptionGroup var device: DeviceVerb
    @Argument(help: "get, set or off.", completion: .list(["get", "set", "off"])) var action = "get"
    @Option(help: ArgumentHelp("How often, e.g. 15m.", valueName: "time")) var every: Span?
    @Option(help: ArgumentHelp("Start of the daily window, e.g. 08:00.", valueName: "hh:mm")) var from: String?
    @Option(help: ArgumentHelp("End of the daily window; it may be after midnight.", valueName: "hh:mm")) var to: String?
    @Option(help: ArgumentHelp("The part of the day with another interval, e.g. 22:00-07:00.", valueName: "hh:mm-hh:mm")) var night: String?
    @Option(help: ArgumentHelp("How often in that part, e.g. 30m.", valueName: "time")) var everyNight: Span?
    @Option(name: .customLong("for"), help: ArgumentHelp("End after this time, e.g. 24h (default: never).", valueName: "time"))
    var length: Span?
    @Option(
        help: ArgumentHelp("The time zone of --from, --to and --night (default: this machine's).", valueName: "zone")) var tz: String?
    @Option(help: "State folder of the `cuff watch` that runs the schedule, e.g. /var/lib/cuff for the service.", completion: .directory)
    var state: String?
    @OptionGroup var output: ConversationOptions
    @Flag(help: "One JSON object.") var json = false

    func run() throws {
        try WordChoice.check(action, "action", among: ["get", "off", "set"], option: "cuff schedule DEVICE")
        var words = ScheduleRequest.Words()
        (words.every, words.everyNight, words.length) = (every?.duration, everyNight?.duration, length?.duration)
        (words.from, words.to, words.night) = (from, to, night)
        let request = try ScheduleRequest(action, words)
        _ = try HostZone.named(tz)
        try Flags.refuse(
            "--tz", when: tz != nil && from == nil && night == nil, why: "it is the zone of --from, --to and --night",
            hint: "add them, or leave it out")
        try Flags.refuse(
            "--sink", when: !output.sink.isEmpty, why: "a schedule gives no readings; `cuff watch --sink …` takes them")
        var options = try output.conversationOptions()
        if let state { options.memory = DriverMemory(folder: state) }
        let place = try DevicePlace(device.address, driver: device.driverID())
        options.stop.watch()
        let report = try device.connected(place, options).scheduling(request, zone: tz)
        if let warning = report.warning { output.log.warning("\(warning)") }
        if report.report.status == .done { json ? Terminal.put(report.json) : Terminal.show(report.text) }
        report.report.showPassing(output)
        try report.report.conclude(output)
    }
}

import Glibc

/// Starts the packaged service, at each boot too, or restarts a running one.
enum ServiceStart {
    /// In this order; each is harmless if it was done before.
    static let commands = ["daemon-reload", "enable cuff.service", "restart cuff.service"]

    /// Asks first, unless `isAgreed`. Where systemd has no such unit, prints what to do.
    static func offer(isAgreed: Bool, systemctl: String = "systemctl") {
        let later = "Next: `systemctl enable --now cuff` starts the service; `systemctl restart cuff` restarts a running one."
        guard run("\(systemctl) cat cuff.service") else { return Terminal.say(later) }
        guard isAgreed || Setup.agrees("Start the service now and at each boot? [Y/n] ") else {
            return Terminal.say(later)
        }
        for command in commands where !run("\(systemctl) \(command)") {
            return Terminal.say("cuff: `systemctl \(command)` failed\n  fix: `systemctl status cuff` and `journalctl -u cuff` say why")
        }
        Terminal.say("cuff: the service is started, now and at each boot; it reads every cuff into /var/lib/cuff/readings.db")
    }

    private static func run(_ command: String) -> Bool { system("\(command) >/dev/null 2>&1") == 0 }
}

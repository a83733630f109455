import CuffIngest

/// `cuff setup --system --fleet FILE`.
struct FleetSetup {
    let isAgreed: Bool

    func run(_ path: String) throws {
        let access = try FleetAccess(path)
        Terminal.say(
            "The service will deliver readings to \(access.server) as the machine \(access.machine): [sink.\(FleetAccess.sink)] in "
                + "\(CuffConfiguration.machineFile), and the password as a credential of the service (\(FleetAccess.dropInFile)).")
        guard isAgreed || Setup.agrees("Write them? [Y/n] ") else {
            throw IngestError(.no, "nothing was written", hint: "run it again")
        }
        try access.install()
        Terminal.say("cuff: \(CuffConfiguration.machineFile) is written; delete \(path) now, it contains the password")
        try Setup.permitNetwork(isAgreed: isAgreed)
        ServiceStart.offer(isAgreed: isAgreed)
    }
}
